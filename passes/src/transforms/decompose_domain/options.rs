//! What is asked of a decomposition.

use crate::{
    analysis::plane_flow::Program,
    framework::{OptionValues, PassResult, refuse},
};
use melior::ir::OperationRef;

/// Devices at most, and time steps between exchanges.
const DEVICES_MAX: i64 = 1024;
const STEPS_MAX: i64 = 1 << 16;

pub(super) struct Options {
    pub devices: i64,
    pub steps: i64,
    /// Whether what depends on nothing that is exchanged is computed beside the exchange.
    pub overlap: bool,
    pub cuts: Vec<i64>,
}

impl Options {
    pub fn of(module: OperationRef, values: &OptionValues) -> PassResult<Self> {
        let refused = |what: String| refuse(&module, what, "write devices=2 steps=4, or cuts=8,16");
        let number = |name: &str| values.integer(name).map_err(|error| refused(error.to_string()));
        let cuts = values.integers("cuts").map_err(|error| refused(error.to_string()))?;
        let (devices, steps) = (number("devices")?, number("steps")?);
        if !(1..=DEVICES_MAX).contains(&devices) {
            let what = format!("cannot be shared by {devices} devices");
            return Err(refuse(&module, what, format!("give 1 to {DEVICES_MAX} devices")));
        }
        if !(0..=STEPS_MAX).contains(&steps) {
            return Err(refused(format!("cannot be exchanged after every {steps} time steps")));
        }
        if !cuts.is_empty() && cuts.len() as i64 != devices - 1 {
            let count = cuts.len();
            return Err(refused(format!("cannot be cut {count} times for {devices} devices")));
        }
        let overlap = values.flag("overlap");
        Ok(Options { devices, steps, overlap, cuts })
    }
}

/// The time steps between exchanges: those that are asked for, or the fewest; none without a time
/// loop.
pub(super) fn steps(
    function: OperationRef,
    program: &Program<'_, '_>,
    &Options { steps: wanted, .. }: &Options,
) -> PassResult<Option<i64>> {
    let Some(time_loop) = program.time_loop else { return Ok(None) };
    let period = time_loop.period();
    if wanted == 0 {
        return Ok(Some(period));
    }
    if wanted % period != 0 {
        let what = format!(
            "cannot be exchanged after every {wanted} time steps: its fields are in their places \
             again after a multiple of {period}"
        );
        let remedy = format!("give a multiple of {period}");
        return Err(refuse(&function, what, remedy));
    }
    Ok(Some(wanted))
}
