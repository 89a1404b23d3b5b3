//! Plans of time loops, drawn at random.

use super::program::{Program, Role};
use crate::{
    random_imports::Random,
    random_loops::{self, Key},
};

/// Points of one iteration of a kernel, over all levels; more take long to compile.
const CODE_MAX: usize = 10;

/// Keys of a sweep, as the option has them. Later tries are of smaller sweeps.
pub fn random(random: &mut Random, program: &Program, tries: usize) -> String {
    let rank = program.rank();
    let mut steps = [1, 2, 2, 2, 3, 4][random.below(6)].min(4usize.saturating_sub(tries).max(1));
    let oldest = program.rotations.iter().max().copied().unwrap_or(1);
    // Most sweeps leave all levels that an iteration may read.
    if !random.one_in(6) {
        steps = steps.max(oldest);
    }
    let reach = program.reach();
    let lanes = 32 * (1 + random.below(2));
    // A tile is larger than what is computed twice.
    let columns = 2 * reach[rank - 1] as usize * steps + 8;
    let mapping = random_loops::mapping(random, rank, lanes);
    let row = random_loops::lanes_of_row(mapping, rank, lanes);
    let wide = columns.div_ceil(row).max(1 + random.below(2));
    let (threads, points) = match rank {
        1 => (vec![lanes], vec![wide]),
        2 => (vec![1, lanes], vec![1, wide]),
        _ => {
            let tall = 2 + random.below(5);
            let rows = 2 * reach[1] as usize * steps + 3;
            let own = rows.div_ceil(tall).max(1 + random.below(2));
            (vec![1, tall, 32], vec![1, own, columns.div_ceil(32)])
        }
    };
    let of_thread = points.iter().product::<usize>() * program.count(Role::Step);
    if of_thread * steps > CODE_MAX && tries < 3 {
        steps = (CODE_MAX / of_thread).max(oldest).min(steps);
    }
    let mut keys = vec![
        format!("mapping={}", mapping.word()),
        format!("steps={steps}"),
        format!("threads={}", list(&threads)),
        format!("points={}", list(&points)),
    ];
    let name = name(program, tries);
    let can_copy = name == "loop" && !program.element.ends_with("f16");
    keys.extend(random_loops::keys(random, rank, can_copy).into_iter().map(Key::option));
    format!("{name}:{}", keys.join(","))
}

/// What the sweep is called: the only statement of a loop, if it has one result, or the loop; by
/// turns, as what it reads matters too.
fn name(program: &Program, tries: usize) -> String {
    let mut steps = program.items.iter().filter(|item| item.role == Role::Step);
    match (steps.next(), steps.next()) {
        (Some(only), None) if only.parts.len() == 1 && tries.is_multiple_of(2) => only.name(),
        _ => "loop".to_owned(),
    }
}

fn list(values: &[usize]) -> String {
    values.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}
