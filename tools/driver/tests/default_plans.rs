//! What the compiler chooses by itself is legal: for whole programs and for random ones, in every
//! float type, for every target. A usual run takes each program in one type for one target, which
//! change from program to program, and stops where all that a plan can ask for has been refused;
//! the nightly run takes all of them, and makes PTX.

use std::{fmt::Write, fs, path::Path};
use stencil_dialects::walk;
use stencil_driver::{
    DriverError,
    input::Input,
    pipelines::Kernels,
    reading::{ElementType, Reading},
    session::{self, Session},
    target::Target,
};
use stencil_model::target::ARCHITECTURES;

/// Random programs of a usual run, and of a nightly one.
const PROGRAMS: u64 = 16;
const PROGRAMS_NIGHTLY: u64 = 2_000;

/// Operations of all kernels of a program in the LLVM dialect: what follows costs as much time as
/// there are of them, a few seconds for so many.
const OPERATIONS_MOST: usize = 60_000;

/// Compiles a program with its default plan; says whether something is swept.
fn compile(input: &Input, element: Option<ElementType>, target: &str) -> Result<bool, String> {
    let context = session::new_context();
    let told = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let listener = std::sync::Arc::clone(&told);
    let work = || -> Result<bool, DriverError> {
        let session = Session::new(&context, input, Target::new(target, None)?);
        context.attach_diagnostic_handler(move |diagnostic| {
            writeln!(listener.lock().unwrap(), "{diagnostic}").unwrap();
            true
        });
        let reading = Reading { element_type: element, ..Reading::of(input) };
        let frozen = session.freeze(&session.read(&reading)?)?;
        let sweeps = session.to_sweeps(&frozen)?;
        let is_swept = sweeps.as_operation().to_string().contains("sweep.kernel");
        // What plans without a sweep ask for has been checked by now.
        if is_swept || crate::nightly() {
            let nvvm = session.to_nvvm(&session.map(&frozen, Kernels::Planned)?)?;
            let operations = walk::nested(nvvm.as_operation()).len();
            assert!(operations <= OPERATIONS_MOST, "{}: {operations} operations", input.name);
            if crate::nightly() {
                session.emit(&nvvm)?;
            }
        }
        Ok(is_swept)
    };
    work().map_err(|error| {
        format!("{} as {element:?} for {target}: {error}\n{}", input.name, told.lock().unwrap())
    })
}

/// Types that a program cannot have, as a constant of it is no number of them; with what is said.
const TOO_SMALL: [(&str, ElementType, &str); 1] =
    [("denoise", ElementType::F16, "which would be 0 in f16")];

#[test]
fn default_plans_of_whole_programs_are_legal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files =
        files.filter(|file| file.extension().is_some_and(|e| e == "mlir")).collect::<Vec<_>>();
    files.sort();
    assert!(files.len() > 30);
    let versions = ElementType::ALL.len() * ARCHITECTURES.len();
    for (number, file) in files.iter().enumerate() {
        let input = Input::read(file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy();
        for version in if crate::nightly() { 0..versions } else { number..number + 1 } {
            let element = ElementType::ALL[version % ElementType::ALL.len()];
            let target = ARCHITECTURES[version % ARCHITECTURES.len()].name;
            let found = compile(&input, Some(element), target);
            let known = TOO_SMALL.iter().find(|known| known.0 == name && known.1 == element);
            match known {
                None => assert!(found.is_ok(), "{found:?}"),
                Some((.., why)) => assert!(found.unwrap_err().contains(why), "{name}"),
            }
        }
    }
}

/// Time loops and single statements that are swept by default, on fields whose rows begin and end
/// anywhere.
#[test]
fn default_plans_of_random_programs_are_legal() {
    let programs = if crate::nightly() { PROGRAMS_NIGHTLY } else { PROGRAMS };
    let mut swept = [0_u32; 4];
    for seed in 0..programs {
        let Drawn { text, element } = draw(seed);
        let input = Input { name: format!("seed-{seed}.mlir"), text };
        let target = ARCHITECTURES[(seed % ARCHITECTURES.len() as u64) as usize].name;
        let is_swept = compile(&input, None, target);
        let is_swept = is_swept.unwrap_or_else(|why| panic!("{why}\n{}", input.text));
        swept[element] += u32::from(is_swept);
    }
    assert!(swept.iter().all(|count| *count > 0), "of each type are swept: {swept:?}");
}

/// The program of the first guide takes a single kernel; a sweep of it would take three.
#[test]
fn small_grids_take_few_and_short_kernels() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/first-kernel.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, text) = guide.split_once("```mlir heat.mlir\n").unwrap();
    let text = text.split_once("```").unwrap().0.to_owned();
    let context = session::new_context();
    let input = Input { name: "heat.mlir".to_owned(), text };
    let count = |plan: &str| {
        let target = Target::new("sm_90a", None).unwrap();
        let session = Session::new(&context, &input, target).with_plan(plan.parse().unwrap());
        let frozen = session.freeze(&session.parse().unwrap()).unwrap();
        let mapped = session.map(&frozen, Kernels::Planned).unwrap();
        let operations = walk::nested(session.to_nvvm(&mapped).unwrap().as_operation()).len();
        (session.export(&mapped).unwrap().kernels.len(), operations)
    };
    let (kernels, operations) = count("");
    assert!(kernels == 1 && operations < 300, "{operations}");
    let (kernels, operations) = count("steps=4");
    assert!(kernels == 3 && operations < 7_000, "{operations}");
}

struct Drawn {
    text: String,
    /// Number of its type.
    element: usize,
}

/// A program drawn from a seed.
fn draw(seed: u64) -> Drawn {
    let mut state = seed;
    let mut next = |count: u64| {
        // The last step of a splitmix generator.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % count
    };
    let element = (seed % 4) as usize;
    let rank = 2 + next(2) as usize;
    let radius = 1 + next(if rank == 2 { 4 } else { 2 }) as i64;
    let is_box = next(2) == 0 && radius < 4;
    let in_loop = next(3) > 0;
    // Smaller ones are not swept.
    let least = if rank == 2 { 1000 } else { 200 };
    let extents = (0..rank).map(|_| least + next(40) as i64).collect::<Vec<_>>();
    let (before, after) = (radius + next(4) as i64, radius + next(4) as i64);
    let bounds = extents.iter().map(|extent| format!("[{},{}]", -before, extent + after));
    let bounds = bounds.collect::<Vec<_>>().join("x");
    let t = ["f16", "bf16", "f32", "f64"][element];
    let field = format!("!stencil.field<{bounds}x{t}>");
    let temp = format!("!stencil.temp<{}x{t}>", vec!["?"; rank].join("x"));
    let body = body(&offsets(rank, radius, is_box), &temp, t);
    let upper = extents.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let lower = vec!["0"; rank].join(", ");
    let step = |from: &str, to: &str| {
        format!(
            "%t = stencil.load {from} : {field} -> {temp}\n\
             %r = stencil.apply(%a = %t : {temp}) -> ({temp}) {{\n{body}}}\n\
             stencil.store %r to {to}(<[{lower}], [{upper}]>) : {temp} to {field}\n"
        )
    };
    let inside = match in_loop {
        false => step("%p", "%q"),
        true => format!(
            "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n\
             %e:2 = scf.for %i = %zero to %n step %one iter_args(%u = %p, %v = %q) -> ({field}, \
             {field}) {{\n{}scf.yield %v, %u : {field}, {field}\n}}\n",
            step("%u", "%v")
        ),
    };
    let text =
        format!("func.func @f(%p: {field}, %q: {field}, %n: index) {{\n{inside}return\n}}\n");
    Drawn { text, element }
}

/// A star, or a box.
fn offsets(rank: usize, radius: i64, is_box: bool) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..rank {
        let longer = |offset: &Vec<i64>| {
            let offset = offset.clone();
            (-radius..=radius).map(move |along| [&offset[..], &[along]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|offset| is_box || offset.iter().filter(|along| **along != 0).count() <= 1);
    all
}

/// A weighted sum.
fn body(offsets: &[Vec<i64>], temp: &str, t: &str) -> String {
    let mut text = format!("%w = arith.constant 0.125 : {t}\n");
    for (number, offset) in offsets.iter().enumerate() {
        writeln!(text, "%x{number} = stencil.access %a{offset:?} : {temp}").unwrap();
        writeln!(text, "%y{number} = arith.mulf %x{number}, %w : {t}").unwrap();
        if number > 0 {
            let before = if number == 1 { "%y0".to_owned() } else { format!("%s{}", number - 1) };
            writeln!(text, "%s{number} = arith.addf {before}, %y{number} : {t}").unwrap();
        }
    }
    writeln!(text, "stencil.return %s{} : {t}", offsets.len() - 1).unwrap();
    text
}
