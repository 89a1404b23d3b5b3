//! How many rows of threads a block has in two dimensions acts on its kernel: each takes a line.

use stencil_driver::{
    input::Input,
    pipelines::Kernels,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};

/// A star of radius 1 in two dimensions, and its time loop.
const STAR: &str = include_str!("../../../test/kernels/j2d5pt.mlir");

/// The first kernel with so many rows of 64 threads, in MLIR and in PTX.
fn make(rows: u32) -> [String; 2] {
    let context = session::new_context();
    let input = Input { name: "program.mlir".to_owned(), text: STAR.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let plan = format!("mapping=block,steps=2,threads={rows}x64");
    let session = session.with_plan(plan.parse().unwrap());
    let reading = Reading { extents: Some("40,300".parse().unwrap()), ..Reading::default() };
    let frozen = session.freeze(&session.read(&reading).unwrap()).unwrap();
    let mapped = session.map(&frozen, Kernels::Planned).unwrap();
    let mlir = mapped.as_operation().to_string();
    let ptx = session.emit(&session.to_nvvm(&mapped).unwrap()).unwrap().ptx;
    let part = |text: &str, start| text.split(start).nth(1).unwrap().to_owned();
    [part(&mlir, "gpu.func @"), part(&ptx, ".visible .entry")]
}

/// Bytes of shared memory that a kernel declares.
fn shared_bytes(ptx: &str) -> usize {
    let shared = ptx.lines().find(|line| line.contains(".shared .align")).unwrap();
    let (_, count) = shared.rsplit_once('[').unwrap();
    count.split_once(']').unwrap().0.parse().unwrap()
}

/// Others read a line after a barrier and not by shuffles; more rows keep more lines, and make
/// fewer iterations of the same code.
#[test]
fn rows_of_threads_take_lines() {
    let count = |made: &[String; 2], word: &str| made[1].matches(word).count();
    let [one, four, eight] = [1, 4, 8].map(make);
    assert!(count(&one, "shfl.sync.up") > 0 && count(&one, "shfl.sync.down") > 0);
    for (lines, rows) in [(&four, 4), (&eight, 8)] {
        assert_eq!(count(lines, "shfl.sync"), 0);
        assert!(count(lines, "bar.sync") > count(&one, "bar.sync"));
        assert!(count(lines, "ld.shared") > count(&one, "ld.shared"));
        assert!(lines[0].contains(&format!("known_block_size = array<i32: 64, {rows}, 1>")));
        assert!(lines[0].contains(&format!("step %c{rows}_i32")));
    }
    for word in ["bar.sync", "fma.rn.f64", "ld.shared"] {
        assert_eq!(count(&four, word), count(&eight, word), "{word}");
    }
    // Four lines of two levels more, of two columns for each thread of a row; and their frames.
    let line = 64 * 2 * 8;
    assert!(shared_bytes(&eight[1]) - shared_bytes(&four[1]) >= 4 * 2 * line);
}
