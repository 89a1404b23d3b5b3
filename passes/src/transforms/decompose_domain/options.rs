//! What is asked of a decomposition, and how many time steps there may be between exchanges.

use crate::{
    analysis::plane_flow::{Program, least_common_multiple},
    framework::{OptionValues, PassResult, refuse},
};
use melior::ir::OperationRef;

/// Time steps between exchanges where nothing else is said, at most.
const STEPS: i64 = 8;
/// Time steps from which on a multiple of what kernels make at once is enough: exchanges are hidden
/// by what is computed meanwhile, and longer pieces compute more planes twice.
const STEPS_ENOUGH: i64 = 6;
/// All windows together may then have so many planes for each of the domain's, as a fraction: what
/// is in several windows is computed several times.
const SLIM: (i64, i64) = (5, 4);
/// The same where more steps than are enough are taken, for the sake of fewer exchanges.
const SLENDER: (i64, i64) = (129, 128);
/// Time steps that are tried then, at most.
const STEPS_LONG: i64 = 48;
/// Bytes that a device gets in an exchange from which it is hidden. The launch for the planes that
/// depend on it took as long as copying some megabytes: a few planes fill no chip, and those before
/// them are computed twice.
pub(super) const HIDDEN_BYTES: &str = "4194304";
/// Devices at most, and time steps between exchanges.
const DEVICES_MAX: i64 = 1024;
const STEPS_MAX: i64 = 1 << 16;

pub(super) struct Options {
    pub devices: i64,
    pub steps: i64,
    pub multiple: i64,
    pub hidden_bytes: i64,
    pub cuts: Vec<i64>,
}

/// Time steps between exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Their number; none without a time loop.
    pub steps: Option<i64>,
    /// Planes that all windows together should have for each of the domain, at most: a fraction.
    pub planes_most: (i64, i64),
}

impl Options {
    pub fn of(module: OperationRef, values: &OptionValues) -> PassResult<Self> {
        let refused = |what: String| refuse(&module, what, "write devices=2 steps=4, or cuts=8,16");
        let number = |name: &str| values.integer(name).map_err(|error| refused(error.to_string()));
        let cuts = values.integers("cuts").map_err(|error| refused(error.to_string()))?;
        let (devices, steps) = (number("devices")?, number("steps")?);
        let multiple = number("multiple")?.clamp(1, STEPS_MAX);
        if !(1..=DEVICES_MAX).contains(&devices) {
            return Err(refused(format!("cannot be shared by {devices} devices")));
        }
        if !(0..=STEPS_MAX).contains(&steps) {
            return Err(refused(format!("cannot be exchanged after every {steps} time steps")));
        }
        if !cuts.is_empty() && cuts.len() as i64 != devices - 1 {
            let count = cuts.len();
            return Err(refused(format!("cannot be cut {count} times for {devices} devices")));
        }
        let hidden_bytes = number("hidden")?;
        Ok(Options { devices, steps, multiple, hidden_bytes, cuts })
    }
}

/// Numbers of time steps between exchanges, best first; none without a time loop.
pub(super) fn candidates(
    function: OperationRef,
    program: &Program<'_, '_>,
    &Options { steps: wanted, multiple, .. }: &Options,
) -> PassResult<Vec<Candidate>> {
    let candidate = |steps| Candidate { steps, planes_most: SLIM };
    let Some(time_loop) = program.time_loop else { return Ok(vec![candidate(None)]) };
    let period = time_loop.period();
    if wanted == 0 {
        return Ok(chosen(period, multiple.saturating_mul(time_loop.step)));
    }
    if wanted % period != 0 {
        let what = format!(
            "cannot be exchanged after every {wanted} time steps: its fields are in their places \
             again after a multiple of {period}"
        );
        let remedy = format!("give a multiple of {period}");
        return Err(refuse(&function, what, remedy));
    }
    Ok(vec![candidate(Some(wanted))])
}

/// Numbers of time steps to choose from: multiples of the period, and first of what kernels make at
/// once too.
fn chosen(period: i64, at_once: i64) -> Vec<Candidate> {
    let (unit, most) = (least_common_multiple(period, at_once), (STEPS + period - 1) / period);
    let candidate = |planes_most| move |steps| Candidate { steps: Some(steps), planes_most };
    let others = (1..=most).rev().map(|periods| periods * period).map(candidate(SLIM));
    if unit <= period || unit > STEPS_MAX {
        return others.collect();
    }
    let least = (STEPS_ENOUGH + unit - 1) / unit;
    let long = (least + 1..=STEPS_LONG / unit).rev().map(|count| count * unit);
    let long = long.map(candidate(SLENDER)).chain([candidate(SLIM)(least * unit)]);
    long.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(period: i64, at_once: i64) -> Vec<i64> {
        chosen(period, at_once).into_iter().filter_map(|it| it.steps).collect()
    }

    #[test]
    fn multiples_of_what_kernels_make_come_first() {
        assert_eq!(steps(2, 1), [8, 6, 4, 2]);
        assert_eq!(steps(3, 1), [9, 6, 3]);
        assert_eq!(steps(2, 8), [48, 40, 32, 24, 16, 8, 8, 6, 4, 2]);
        assert_eq!(steps(2, 24), [48, 24, 8, 6, 4, 2]);
        assert_eq!(steps(3, 4), [48, 36, 24, 12, 9, 6, 3]);
        assert_eq!(steps(2, 50), [50, 8, 6, 4, 2]);
        assert_eq!(steps(2, STEPS_MAX + 2), [8, 6, 4, 2]);
    }

    #[test]
    fn long_pieces_are_for_windows_with_few_more_planes() {
        let long = chosen(2, 24).into_iter().filter(|it| it.planes_most == SLENDER);
        assert_eq!(long.map(|it| it.steps).collect::<Vec<_>>(), [Some(48)]);
    }
}
