//! Which versions of a program are tried, and which of them is taken; whoever asks compiles them.

use serde::{Deserialize, Serialize};

/// Registers between two numbers that are tried.
const STEP: u32 = 8;
/// The same beside the number that was found.
pub const FINE_STEP: u32 = 4;
/// A version with more is taken only where it is predicted to take fewer percent of the time than
/// this: numbers next to each other differ by chance.
const PERCENT_WORTH_IT: u128 = 99;

/// One version of a program. They are in the order in which they are taken where they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Version {
    /// The cap of registers, where nobody had set one.
    pub cap: Option<u32>,
    /// 32-bit registers by which the most that is live at once is to shrink; 0: none moves.
    pub registers: u32,
}

impl Version {
    /// That in which nothing is done.
    pub const UNCHANGED: Version = Version { cap: None, registers: 0 };
}

/// What a version leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Bytes that the assembler spills, stored and loaded, in the kernel that spills most.
    pub spill_bytes: u32,
    /// Whether as many blocks are resident as without demotion.
    pub keeps_blocks: bool,
    /// Predicted cycles of all launches; none where nothing was predicted.
    pub predicted_cycles: Option<u64>,
}

/// Numbers in a row that keep blocks out before no larger one is tried: with more to go, another
/// order of operations may need fewer slots.
const LOWER_MOST: usize = 4;

/// Tries multiples of the step, until nothing is spilled, some numbers in a row lower occupancy,
/// or so many cannot be demoted, where `outcome` has none.
///
/// # Errors
/// What `outcome` says.
pub fn try_steps<E>(
    mut outcome: impl FnMut(u32) -> Result<Option<Outcome>, E>,
) -> Result<Vec<(u32, Outcome)>, E> {
    let mut tried = Vec::new();
    let (mut registers, mut lower) = (0, 0);
    while let Some(found) = outcome(registers)? {
        tried.push((registers, found));
        lower = if found.keeps_blocks { 0 } else { lower + 1 };
        if lower == LOWER_MOST || found.spill_bytes == 0 && found.keeps_blocks {
            break;
        }
        registers += STEP;
    }
    Ok(tried)
}

/// The fewest registers with which nothing is spilled and no block is kept out; where there are
/// none, those of the fewest spills.
///
/// # Errors
/// What `outcome` says.
pub fn fewest<E>(mut outcome: impl FnMut(u32) -> Result<Option<Outcome>, E>) -> Result<u32, E> {
    let tried = try_steps(&mut outcome)?;
    let keep = tried.into_iter().filter(|(registers, found)| found.keeps_blocks || *registers == 0);
    let best = keep.min_by_key(|&(registers, found)| (found.spill_bytes, registers));
    let (mut chosen, least) =
        best.map_or((0, 0), |(registers, found)| (registers, found.spill_bytes));
    while chosen >= FINE_STEP && least == 0 {
        match outcome(chosen - FINE_STEP)? {
            Some(found) if found.spill_bytes == 0 && found.keeps_blocks => chosen -= FINE_STEP,
            _ => break,
        }
    }
    Ok(chosen)
}

/// The version with the fewest predicted cycles; of those within a percent of it the first.
pub fn fastest(predicted: &[(Version, u64)]) -> Option<Version> {
    let least = predicted.iter().map(|(_, cycles)| u128::from(*cycles)).min()?;
    let is_near = |cycles: u64| u128::from(cycles) * PERCENT_WORTH_IT <= least * 100;
    let near = predicted.iter().filter(|(_, cycles)| is_near(*cycles));
    near.map(|(version, _)| *version).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(spill_bytes: u32, keeps_blocks: bool) -> Outcome {
        Outcome { spill_bytes, keeps_blocks, predicted_cycles: None }
    }

    fn chosen(outcome: impl Fn(u32) -> Option<Outcome>) -> u32 {
        fewest(|registers| Ok::<_, ()>(outcome(registers))).unwrap()
    }

    fn tried(outcome: impl Fn(u32) -> Option<Outcome>) -> Vec<u32> {
        let tried = try_steps(|registers| Ok::<_, ()>(outcome(registers))).unwrap();
        tried.into_iter().map(|(registers, _)| registers).collect()
    }

    #[test]
    fn as_few_go_as_leave_nothing_to_spill() {
        let falls = |registers: u32| Some(found(100u32.saturating_sub(4 * registers), true));
        assert_eq!(chosen(falls), 28);
        assert_eq!(chosen(|_| Some(found(0, true))), 0);
    }

    #[test]
    fn what_keeps_blocks_out_is_no_gain() {
        let lower = |registers: u32| Some(found(100 - registers, registers <= 24));
        assert_eq!(chosen(lower), 24);
        assert_eq!(chosen(|registers| (registers < 20).then(|| found(80 - registers, true))), 16);
    }

    #[test]
    fn spills_that_rise_again_are_left_behind() {
        let uneven = |registers: u32| match registers {
            0..=8 => Some(found(60, true)),
            9..=16 => Some(found(90, true)),
            17..=24 => Some(found(40, true)),
            _ => None,
        };
        assert_eq!(chosen(uneven), 24);
    }

    #[test]
    fn steps_end_where_nothing_is_left_to_win() {
        assert_eq!(tried(|_| Some(found(0, true))), [0]);
        assert_eq!(tried(|registers| Some(found(20 - registers.min(20), true))), [0, 8, 16, 24]);
        // Those that keep a block out were made, and may be the fastest all the same.
        let lower = tried(|registers| Some(found(100, registers < 16)));
        assert_eq!(lower, [0, 8, 16, 24, 32, 40]);
        let passing =
            |registers| Some(found(if registers < 32 { 100 } else { 0 }, registers != 16));
        assert_eq!(tried(passing), [0, 8, 16, 24, 32]);
        assert_eq!(tried(|registers| (registers < 16).then(|| found(100, true))), [0, 8]);
    }

    fn version(cap: Option<u32>, registers: u32) -> Version {
        Version { cap, registers }
    }

    #[test]
    fn the_fewest_cycles_are_taken_whatever_is_spilled() {
        let under = |registers| version(None, registers);
        let predicted = [(under(0), 2000), (under(8), 1500), (under(16), 1700), (under(64), 2500)];
        assert_eq!(fastest(&predicted), Some(under(8)));
        assert_eq!(fastest(&[(under(0), 900), (under(8), 950)]), Some(Version::UNCHANGED));
        assert_eq!(fastest(&[]), None);
    }

    #[test]
    fn less_than_a_percent_is_no_reason_to_demote_more() {
        let under = |registers| version(None, registers);
        let near = [(under(8), 1000), (under(16), 999), (under(24), 991)];
        assert_eq!(fastest(&near), Some(under(8)));
        assert_eq!(fastest(&[(under(8), 1000), (under(16), 989)]), Some(under(16)));
        // The order of the list says nothing.
        assert_eq!(fastest(&[(under(16), 1000), (under(8), 1005)]), Some(under(8)));
    }

    #[test]
    fn a_cap_that_gains_nothing_is_not_set() {
        let (free, capped) = (Version::UNCHANGED, version(Some(64), 0));
        assert_eq!(fastest(&[(free, 1000), (capped, 995)]), Some(free));
        assert_eq!(fastest(&[(free, 1000), (capped, 900)]), Some(capped));
        let demoted = version(Some(64), 16);
        assert_eq!(fastest(&[(free, 1000), (capped, 1200), (demoted, 800)]), Some(demoted));
    }
}
