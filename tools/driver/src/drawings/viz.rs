//! Drawings of the order of a kernel's operations.
//!
//! What is drawn is what the passes left in the IR. The program is brought down to kernels once,
//! and the passes that put operations in order work on a copy of that. So a block of a kernel has
//! the same operations in both, in two orders, and registers are counted as those passes count.

mod names;

use crate::{
    DriverError, demotion,
    drawings::{self, arrays, trees},
    session::{Module, Session},
};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_dialects::attributes;
use stencil_lowering::gpu::{block_dag::BlockDag, order};
use stencil_model::plan::{Plan, Schedule};
use stencil_runtime::bind::nearest;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// The expressions, coloured by the order.
    Trees,
    /// Live registers along the order.
    Schedule,
}

/// Of what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The kernel; without a name the one with the most arithmetic in a block.
    pub kernel: Option<String>,
    /// The block of the kernel, among those with arithmetic from 1; without a number the one with
    /// the most arithmetic.
    pub block: Option<usize>,
}

/// A drawing of a program whose arithmetic is frozen, as SVG.
pub fn draw<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    drawing: Drawing,
    part: &Part,
) -> Result<String, DriverError> {
    demotion::settle(session, frozen)?;
    let [as_made, in_order] = session.map_around_order(frozen)?;
    let (unordered, ordered) = (kernels(&as_made), kernels(&in_order));
    let chosen = choose(&ordered, session.program(), part)?;
    let kernel = &ordered[chosen.kernel];
    let title = format!(
        "kernel {}, block {} of {}, schedule {}",
        kernel.name,
        chosen.block + 1,
        kernel.blocks.len(),
        kernel.plan.schedule.map_or("source", Schedule::word),
    );
    let block = &kernel.blocks[chosen.block];
    match drawing {
        Drawing::Trees => {
            let arrays = arrays::of(&in_order, &kernel.name);
            Ok(trees::draw(&title, &block.dag, &names::of(block, &arrays)))
        }
        Drawing::Schedule => {
            // No operation leaves its block, and those with regions do not pass each other.
            let source = &unordered[chosen.kernel].blocks[chosen.block];
            drawings::order::draw(&title, &source.dag, &block.dag).map_err(DriverError::Drawing)
        }
    }
}

/// A kernel, what its plan says, and its blocks with arithmetic, in the order of the text.
struct Kernel<'c, 'a> {
    name: String,
    plan: Plan,
    blocks: Vec<BlockDag<'c, 'a>>,
}

fn kernels<'c, 'a>(module: &'a Module<'c>) -> Vec<Kernel<'c, 'a>> {
    let all = order::kernels(module.as_operation()).expect("the passes before read the plans");
    let kernel = |(operation, plan): (OperationRef<'c, 'a>, Plan)| {
        let name = operation.attribute("sym_name").ok().and_then(attributes::string);
        let blocks = BlockDag::all_of(operation).into_iter();
        Kernel {
            name: name.expect("the verifier checked that a kernel has a name"),
            plan,
            blocks: blocks.filter(|block| block.arithmetic() > 0).collect(),
        }
    };
    all.into_iter().map(kernel).collect()
}

/// A block of a kernel, both by their places.
struct Chosen {
    kernel: usize,
    block: usize,
}

fn choose(kernels: &[Kernel], program: &str, part: &Part) -> Result<Chosen, DriverError> {
    let kernel = match &part.kernel {
        Some(name) => named(kernels, program, name)?,
        None => {
            let sizes = kernels.iter().map(|kernel| most(&kernel.blocks).map(|(_, size)| size));
            let largest = first_most(sizes.enumerate().filter_map(|(at, size)| Some((at, size?))));
            let place = || format!("program '{program}'");
            largest.ok_or_else(|| DriverError::NoArithmetic { place: place() })?.0
        }
    };
    let Kernel { name, blocks, .. } = &kernels[kernel];
    let place = || format!("kernel '{name}'");
    let (largest, _) = most(blocks).ok_or_else(|| DriverError::NoArithmetic { place: place() })?;
    match part.block {
        None => Ok(Chosen { kernel, block: largest }),
        Some(number) if (1..=blocks.len()).contains(&number) => {
            Ok(Chosen { kernel, block: number - 1 })
        }
        Some(block) => {
            Err(DriverError::NoSuchBlock { block, kernel: name.clone(), count: blocks.len() })
        }
    }
}

fn named(kernels: &[Kernel], program: &str, name: &str) -> Result<usize, DriverError> {
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    match names.iter().position(|known| *known == name) {
        Some(kernel) => Ok(kernel),
        None if names.is_empty() => {
            Err(DriverError::NoArithmetic { place: format!("program '{program}'") })
        }
        None => {
            let hint = nearest(name, &names)
                .map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
            let (name, known) = (name.to_owned(), names.join(", "));
            Err(DriverError::NoSuchKernel { name, hint, known })
        }
    }
}

/// The block with the most arithmetic, and how much that is.
fn most(blocks: &[BlockDag]) -> Option<(usize, usize)> {
    first_most(blocks.iter().map(BlockDag::arithmetic).enumerate())
}

/// The first of those with the largest size.
fn first_most(sizes: impl Iterator<Item = (usize, usize)>) -> Option<(usize, usize)> {
    sizes.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_sizes_the_first_is_taken() {
        assert_eq!(first_most([(0, 3), (1, 5), (2, 5)].into_iter()), Some((1, 5)));
        assert_eq!(first_most(std::iter::empty()), None);
    }
}
