//! Plans of time loops, groups and programs, drawn at random.

use super::program::Program;
use crate::{
    random_imports::Random,
    random_loops::{self, Key, array},
};

/// Points of one iteration of a kernel, over all levels; more take long to compile.
const CODE_MAX: usize = 14;

/// Keys of a plan as the attribute has them. Later tries are of smaller sweeps.
pub fn random(random: &mut Random, program: &Program, tries: usize) -> String {
    of_kernel(random, program, (program.statements.len(), tries))
}

/// The same for so many statements.
fn of_kernel(
    random: &mut Random,
    program: &Program,
    (statements, tries): (usize, usize),
) -> String {
    let rank = program.domain.lower.len();
    let most = CODE_MAX / statements.max(1);
    let mut steps = [1, 2, 2, 2, 3, 4][random.below(6)];
    steps = steps.min(5usize.saturating_sub(tries).max(1));
    let oldest = program.rotations.iter().max().copied().unwrap_or(1);
    if program.is_group {
        steps = 1;
    }
    // Most sweeps leave all levels that an iteration may read.
    if !random.one_in(6) {
        steps = steps.max(oldest);
    }
    let [rows, columns] = program.reach().map(|reach| reach * steps as i64);
    let lanes = 32 * (1 + random.below(3));
    // A tile is larger than what is computed twice.
    let mapping = random_loops::mapping(random, rank, lanes);
    let row = random_loops::lanes_of_row(mapping, rank, lanes);
    let wide = (2 * columns as usize + 8).div_ceil(row);
    let points = wide.max(1 + random.below(2));
    let mut keys = vec![format!("mapping = \"{}\"", mapping.word()), format!("steps = {steps}")];
    let (threads, points) = match rank {
        1 => (vec![lanes], vec![points]),
        2 => (vec![1, lanes], vec![1, points]),
        _ => {
            let tall = 2 + random.below(5);
            let own = (2 * rows as usize + 3).div_ceil(tall).max(1 + random.below(2));
            let width = (2 * columns as usize + 8).div_ceil(32).max(1);
            (vec![1, tall, 32], vec![1, own, width])
        }
    };
    let of_thread = points.iter().product::<usize>();
    if of_thread * steps > most && steps > 1 && tries < 8 {
        // Too much code for a test.
        keys[1] = format!("steps = {}", (most / of_thread).max(1).max(oldest.min(steps)));
    }
    keys.push(format!("threads = {}", array(&threads)));
    keys.push(format!("points = {}", array(&points)));
    let can_copy = !program.element.ends_with("f16");
    keys.extend(random_loops::keys(random, rank, can_copy).into_iter().map(Key::attribute));
    keys.join(", ")
}

/// A plan of a whole program: its statements in some order that they permit, cut into kernels, and
/// some of them computed by their readers.
pub fn of_program(random: &mut Random, program: &Program, tries: usize) -> String {
    let computed = program.computed();
    let live = (0..program.statements.len()).filter(|it| computed[*it].is_some());
    let live = live.collect::<Vec<_>>();
    let is_temp = |it: &usize| program.statements[*it].results.iter().all(Option::is_none);
    let inlined = live.iter().copied().filter(|it| is_temp(it) && random.one_in(5));
    let inlined = inlined.collect::<Vec<_>>();
    // What an inlined statement needs, its readers need.
    let needs = |number: usize| {
        let (mut needs, mut open) = (Vec::new(), program.needs(number));
        while let Some(needed) = open.pop() {
            match inlined.contains(&needed) {
                true => open.extend(program.needs(needed)),
                false => needs.push(needed),
            }
        }
        needs
    };
    let mut left = live.into_iter().filter(|it| !inlined.contains(it)).collect::<Vec<_>>();
    let mut kernels: Vec<Vec<usize>> = Vec::new();
    while !left.is_empty() {
        let ready =
            (0..left.len()).filter(|at| !needs(left[*at]).iter().any(|it| left.contains(it)));
        let ready = ready.collect::<Vec<_>>();
        let next = left.remove(ready[random.below(ready.len())]);
        match kernels.last_mut().filter(|_| !random.one_in(3)) {
            Some(kernel) if tries < 10 => kernel.push(next),
            _ => kernels.push(vec![next]),
        }
    }
    let names =
        |list: &[usize]| list.iter().map(|it| format!("\"s{it}\"")).collect::<Vec<_>>().join(", ");
    let mut entries = Vec::new();
    for kernel in &kernels {
        let mut entry = format!("stages = [{}]", names(kernel));
        if kernel.len() > 1 && !random.one_in(4) {
            let plan = of_kernel(random, program, (kernel.len(), tries));
            entry.push_str(&format!(", plan = #stencil.plan<{{{plan}}}>"));
        }
        if entries.is_empty() && !inlined.is_empty() {
            entry.push_str(&format!(", inlined = [{}]", names(&inlined)));
        }
        entries.push(format!("{{{entry}}}"));
    }
    format!("#stencil.program_plan<[{}]>", entries.join(", "))
}
