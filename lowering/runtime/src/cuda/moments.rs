//! When a device reached the moments of its exchanges, by events.
//!
//! Events are made once and used by every run. A run with more exchanges than are timed leaves the
//! times of the others open.

use super::{api, driver::failed, stream::Event};
use crate::host::{DeviceError, ExchangeTimes};
use cudarc::driver::sys::CUstream;

/// Exchanges that are timed.
const TIMED_MAX: usize = 512;

/// A moment of an exchange, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// What others get is computed.
    Computed,
    /// The first copy of what the device gets begins.
    CopiesBegin,
    CopiesEnd,
    /// The device has nothing to do but to wait for copies.
    WaitBegins,
    /// What it needs is copied: in a branch that computes with that, or in its own stream.
    WaitEnds,
    /// What depends on the exchange in the first launch after it is computed, if that is in a
    /// branch.
    Joined,
}

const MOMENTS: usize = 6;

/// The moments of one exchange, as far as they were reached.
struct Timed {
    /// One for each moment.
    events: Vec<Event>,
    reached: [bool; MOMENTS],
}

/// Those of all exchanges of a run.
#[derive(Default)]
pub(super) struct Moments {
    timed: Vec<Timed>,
    /// Exchanges of this run that have begun and are timed.
    used: usize,
    /// Whether the last of them is not over.
    is_open: bool,
}

impl Moments {
    /// The device reaches a moment when all that is in a stream so far is done.
    pub(super) fn reach(&mut self, moment: Moment, stream: CUstream) -> Result<(), DeviceError> {
        if moment == Moment::Computed {
            self.begin()?;
        }
        if !self.is_open {
            return Ok(());
        }
        let timed = &mut self.timed[self.used - 1];
        timed.reached[moment as usize] = true;
        // SAFETY: the event and the stream belong to a device that lives.
        let answer = unsafe { api::cuEventRecord(timed.events[moment as usize].0, stream) };
        self.is_open = moment != Moment::Joined;
        answer.map_err(failed("timing an exchange"))
    }

    fn begin(&mut self) -> Result<(), DeviceError> {
        self.is_open = self.used < TIMED_MAX;
        if !self.is_open {
            return Ok(());
        }
        if self.used == self.timed.len() {
            let events = (0..MOMENTS).map(|_| Event::new()).collect::<Result<_, _>>()?;
            self.timed.push(Timed { events, reached: [false; MOMENTS] });
        }
        self.timed[self.used].reached = [false; MOMENTS];
        self.used += 1;
        Ok(())
    }

    /// The exchanges since this was last asked, in seconds from an event on. Streams have been
    /// waited for.
    pub(super) fn take(&mut self, start: &Event) -> Result<Vec<ExchangeTimes>, DeviceError> {
        let used = std::mem::take(&mut self.used);
        self.is_open = false;
        self.timed[..used].iter().map(|timed| timed.seconds_from(start)).collect()
    }
}

impl Timed {
    fn seconds_from(&self, start: &Event) -> Result<ExchangeTimes, DeviceError> {
        let at = |moment: Moment| -> Result<Option<f64>, DeviceError> {
            if !self.reached[moment as usize] {
                return Ok(None);
            }
            let mut milliseconds = 0.0;
            let end = self.events[moment as usize].0;
            // SAFETY: both events were recorded in streams that have been waited for.
            let answer = unsafe { api::cuEventElapsedTime(&mut milliseconds, start.0, end) };
            answer.map_err(failed("reading the clock"))?;
            Ok(Some(f64::from(milliseconds) * 1e-3))
        };
        // A branch may have ended its wait before the device has nothing else to do.
        let pair =
            |begin, end| Ok(at(begin)?.zip(at(end)?).map(|(begin, end)| [begin, end.max(begin)]));
        Ok(ExchangeTimes {
            computed_s: at(Moment::Computed)?.unwrap_or_default(),
            copies_s: pair(Moment::CopiesBegin, Moment::CopiesEnd)?,
            waited_s: pair(Moment::WaitBegins, Moment::WaitEnds)?,
            joined_s: at(Moment::Joined)?,
        })
    }
}
