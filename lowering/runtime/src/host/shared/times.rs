//! When the exchanges of a run happened on a device.

use serde::Serialize;
use std::time::Duration;

/// One exchange on one device, in seconds from the start of the run on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ExchangeTimes {
    /// When the piece before it was computed.
    pub computed_s: f64,
    /// Begin and end of the copies of what the device gets, if it gets anything from devices of
    /// this process.
    pub copies_s: Option<[f64; 2]>,
    /// Begin and end of the time in which the device had nothing to do but to wait for copies.
    pub waited_s: Option<[f64; 2]>,
    /// When the first launch after the exchange was done, where it was made in parts that ran
    /// beside each other; else when the wait ended.
    pub joined_s: Option<f64>,
}

impl ExchangeTimes {
    /// Seconds in which the device waited.
    fn waited(&self) -> f64 {
        self.waited_s.map_or(0.0, length)
    }
}

fn length([begin, end]: [f64; 2]) -> f64 {
    (end - begin).max(0.0)
}

/// The time that a device waited in so many exchanges. Where not all were timed, the others took as
/// long on average.
pub fn waited(times: &[ExchangeTimes], exchanges: u64) -> Duration {
    let timed = times.iter().map(ExchangeTimes::waited).sum::<f64>();
    let scale = if times.is_empty() { 0.0 } else { exchanges as f64 / times.len() as f64 };
    Duration::from_secs_f64(timed * scale)
}

/// The part of the time of copies in which their device computed; none without copies.
pub fn hidden<'t>(times: impl IntoIterator<Item = &'t ExchangeTimes>) -> Option<f64> {
    let (mut copies, mut exposed) = (0.0, 0.0);
    for one in times {
        let Some(own @ [begin, end]) = one.copies_s else { continue };
        copies += length(own);
        exposed += one.waited_s.map_or(0.0, |[from, to]| length([begin.max(from), end.min(to)]));
    }
    (copies > 0.0).then(|| 1.0 - exposed / copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(copies_s: Option<[f64; 2]>, waited_s: [f64; 2]) -> ExchangeTimes {
        ExchangeTimes { computed_s: 1.0, copies_s, waited_s: Some(waited_s), joined_s: None }
    }

    #[test]
    fn copies_are_hidden_where_nothing_waits() {
        let beside = exchange(Some([1.0, 3.0]), [4.0, 4.5]);
        let half = exchange(Some([5.0, 7.0]), [6.0, 9.0]);
        assert_eq!(hidden([&beside]), Some(1.0));
        assert_eq!(hidden([&half]), Some(0.5));
        assert_eq!(hidden([&beside, &half]), Some(0.75));
        assert_eq!(hidden([&exchange(None, [0.0, 1.0])]), None);
    }

    #[test]
    fn exchanges_that_were_not_timed_take_as_long_as_the_others() {
        let times = [exchange(None, [1.0, 2.0]), exchange(None, [4.0, 4.5])];
        assert_eq!(waited(&times, 2), Duration::from_millis(1500));
        assert_eq!(waited(&times, 4), Duration::from_secs(3));
        assert_eq!(waited(&[], 4), Duration::ZERO);
    }
}
