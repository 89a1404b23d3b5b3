//! What watching for races costs: a 7-point stencil that sweeps planes through shared memory. In
//! release, `cargo test -p stencil-emulator --test integration races_cost -- --ignored --nocapture`
//! prints the times that the README gives.

use crate::harness::*;
use std::num::NonZeroUsize;
use std::time::Instant;
use stencil_emulator::{Argument, Launch, LaunchOptions, Memory, Program, Races};

/// Interior points along x, y, z; arrays have one more on each side.
const SIZE: [usize; 3] = [96, 64, 48];
const BLOCK: [usize; 2] = [32, 8];

/// Each block sweeps its column of tiles along z: the plane in two shared buffers that take turns,
/// with its halo, the planes before and after in registers.
const SWEEP: &str = "@tile = internal addrspace(3) global [2 x [10 x [34 x float]]] undef, align 16
define ptx_kernel void @f(ptr %in, ptr %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %tx0 = add i32 %tx, 0
  %tx1 = add i32 %tx, 1
  %tx2 = add i32 %tx, 2
  %ty0 = add i32 %ty, 0
  %ty1 = add i32 %ty, 1
  %ty2 = add i32 %ty, 2
  %x0 = mul i32 %bx, 32
  %x = add i32 %x0, %tx1
  %y0 = mul i32 %by, 8
  %y = add i32 %y0, %ty1
  %line = mul i32 %y, LINE_POINTS
  %first = add i32 %line, %x
  %p0 = getelementptr float, ptr %in, i32 %first
  %v0 = load float, ptr %p0, align 4
  %second = add i32 %first, PLANE_POINTS
  %p1 = getelementptr float, ptr %in, i32 %second
  %v1 = load float, ptr %p1, align 4
  br label %step
step:
  %z = phi i32 [ 1, %0 ], [ %znext, %side4 ]
  %below = phi float [ %v0, %0 ], [ %centre, %side4 ]
  %centre = phi float [ %v1, %0 ], [ %above, %side4 ]
  %at = phi i32 [ %second, %0 ], [ %up, %side4 ]
  %turn = and i32 %z, 1
  %up = add i32 %at, PLANE_POINTS
  %pu = getelementptr float, ptr %in, i32 %up
  %above = load float, ptr %pu, align 4
  %own = getelementptr [10 x [34 x float]], ptr addrspace(3) @tile, i32 %turn, i32 %ty1,
    i32 %tx1
  store float %centre, ptr addrspace(3) %own, align 4
  FILL_HALO
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  SUM_NEIGHBOURS
  %six = fmul float %centre, 6.0
  %laplace = fsub float %s4, %six
  %change = fmul float %laplace, 0.125
  %new = fadd float %centre, %change
  %q = getelementptr float, ptr %out, i32 %at
  store float %new, ptr %q, align 4
  %znext = add i32 %z, 1
  %more = icmp ule i32 %znext, PLANES
  br i1 %more, label %step, label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)";

/// The sweep for `SIZE`, with what fills the halo of a plane and adds up the neighbours.
fn program() -> Program {
    let row = SIZE[0] + 2;
    let mut halo = String::new();
    let sides = [
        ("tx", 0, "-1".to_owned(), "0", "%ty1"),
        ("tx", BLOCK[0] - 1, "1".to_owned(), "33", "%ty1"),
        ("ty", 0, format!("-{row}"), "%tx1", "0"),
        ("ty", BLOCK[1] - 1, row.to_string(), "%tx1", "9"),
    ];
    for (i, (axis, edge, distance, column, line)) in sides.iter().enumerate() {
        let next = i + 1;
        halo.push_str(&format!(
            "%is{i} = icmp eq i32 %{axis}, {edge}
             br i1 %is{i}, label %fill{i}, label %side{next}
             fill{i}:
             %h{i} = add i32 %at, {distance}
             %hp{i} = getelementptr float, ptr %in, i32 %h{i}
             %hv{i} = load float, ptr %hp{i}, align 4
             %hs{i} = getelementptr [10 x [34 x float]], ptr addrspace(3) @tile, i32 %turn,
               i32 {line}, i32 {column}
             store float %hv{i}, ptr addrspace(3) %hs{i}, align 4
             br label %side{next}
             side{next}:\n"
        ));
    }
    let mut sum = String::from("%s0 = fadd float %below, %above\n");
    let neighbours = [("%tx0", "%ty1"), ("%tx2", "%ty1"), ("%tx1", "%ty0"), ("%tx1", "%ty2")];
    for (i, (column, line)) in neighbours.iter().enumerate() {
        let next = i + 1;
        sum.push_str(&format!(
            "%np{i} = getelementptr [10 x [34 x float]], ptr addrspace(3) @tile, i32 %turn,
               i32 {line}, i32 {column}
             %nv{i} = load float, ptr addrspace(3) %np{i}, align 4
             %s{next} = fadd float %s{i}, %nv{i}\n"
        ));
    }
    let ir = SWEEP
        .replace("LINE_POINTS", &row.to_string())
        .replace("PLANE_POINTS", &(row * (SIZE[1] + 2)).to_string())
        .replace("PLANES", &SIZE[2].to_string())
        .replace("FILL_HALO", &halo)
        .replace("SUM_NEIGHBOURS", &sum);
    compile(&ir)
}

fn index(x: usize, y: usize, z: usize) -> usize {
    (z * (SIZE[1] + 2) + y) * (SIZE[0] + 2) + x
}

fn reference(input: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; input.len()];
    for z in 1..=SIZE[2] {
        for (y, x) in (1..=SIZE[1]).flat_map(|y| (1..=SIZE[0]).map(move |x| (y, x))) {
            let at = |x, y, z| input[index(x, y, z)];
            let mut sum = at(x, y, z - 1) + at(x, y, z + 1);
            for (x, y) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] {
                sum += at(x, y, z);
            }
            let centre = at(x, y, z);
            out[index(x, y, z)] = centre + (sum - centre * 6.0) * 0.125;
        }
    }
    out
}

/// The best time of three launches, each of which must give the reference.
fn seconds(program: &Program, races: Races) -> f64 {
    let input: Vec<f32> = (0..SIZE.map(|n| n + 2).iter().product::<usize>())
        .map(|i| ((i * 2_654_435_761) % 1000) as f32 * 0.001)
        .collect();
    let expected = reference(&input);
    let run = || {
        let mut memory = Memory::new();
        let from = f32_buffer(&mut memory, &input);
        let to = f32_buffer(&mut memory, &vec![0.0; input.len()]);
        let arguments = [Argument::Buffer(from), Argument::Buffer(to)];
        let launch = Launch {
            kernel: "f",
            grid: [(SIZE[0] / BLOCK[0]) as u32, (SIZE[1] / BLOCK[1]) as u32, 1],
            block: [BLOCK[0] as u32, BLOCK[1] as u32, 1],
            dynamic_shared_bytes: 0,
            arguments: &arguments,
        };
        let options =
            LaunchOptions { races, workers: NonZeroUsize::new(1), ..LaunchOptions::default() };
        let start = Instant::now();
        program.launch(&mut memory, &launch, &options).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(f32_values(&memory, to), expected);
        seconds
    };
    // The first compiles.
    run();
    (0..3).map(|_| run()).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_sweep_of_planes_is_clean_however_it_is_watched() {
    let program = program();
    for races in [Races::Off, Races::Shared, Races::All] {
        seconds(&program, races);
    }
}

#[test]
#[ignore = "prints times"]
fn cost() {
    let program = program();
    let points = SIZE.iter().product::<usize>() as f64;
    for races in [Races::Off, Races::Shared, Races::All] {
        let seconds = seconds(&program, races);
        let nanoseconds = seconds / points * 1e9;
        eprintln!("{races:?}: {:.1} ms, {nanoseconds:.0} ns a point", seconds * 1e3);
    }
}
