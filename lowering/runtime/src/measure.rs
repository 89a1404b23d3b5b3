//! Measures runs: time by the device's clock, energy by a counter.
//!
//! Each timed run starts from the same content, so that all compute the same and the last one's
//! results are those of every run. Copies from and to the host are not part of the time. Energy
//! counters are updated every tenth of a second only, so for energy the program runs repeatedly,
//! each time on its own results.

use crate::{
    error::RuntimeError,
    host::{Device, HostError, PeerDevice, Session, SharedReport, SharedSession},
};
use std::{
    num::NonZeroU64,
    time::{Duration, Instant},
};

/// The shortest time over which energy is measured.
const ENERGY_WINDOW: Duration = Duration::from_secs(2);
/// The shortest credible run: anything faster is an empty launch.
const RUN_MIN: Duration = Duration::from_micros(1);

/// Repetitions of a timed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetitions {
    /// Warm-up runs.
    pub warm_up: u32,
    /// Timed runs.
    pub repeat: u32,
}

/// The times of several runs, in their order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Samples(Vec<Duration>);

/// Energy over a number of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Runs, one after the other.
    pub runs: u64,
    /// Their total time, on the host's clock.
    pub seconds: f64,
    /// The energy of the whole device in that time.
    pub joules: f64,
}

impl Samples {
    /// The samples; none if there are none.
    pub fn new(samples: Vec<Duration>) -> Option<Samples> {
        (!samples.is_empty()).then_some(Samples(samples))
    }

    /// The times in the order of the runs.
    pub fn as_slice(&self) -> &[Duration] {
        &self.0
    }

    /// The median of the times.
    pub fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let middle = sorted.len() / 2;
        match sorted.len() % 2 {
            1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2,
        }
    }

    /// The shortest time.
    pub fn min(&self) -> Duration {
        self.0.iter().copied().min().unwrap_or_default()
    }

    /// The longest time.
    pub fn max(&self) -> Duration {
        self.0.iter().copied().max().unwrap_or_default()
    }

    /// The difference of the longest and the shortest time, as a part of the median.
    pub fn relative_spread(&self) -> f64 {
        let median = self.median().max(Duration::from_nanos(1));
        (self.max() - self.min()).as_secs_f64() / median.as_secs_f64()
    }
}

/// Runs the program repeatedly on the host's content. Launches are asynchronous; a device that has
/// graphs uses them.
pub fn time<D: Device>(
    session: &mut Session<'_, D>,
    repetitions: Repetitions,
) -> Result<Option<Samples>, RuntimeError> {
    session.device().set_synchronous(false);
    let mut samples = Vec::new();
    for run in 0..repetitions.warm_up.saturating_add(repetitions.repeat) {
        session.restore()?;
        let start = Instant::now();
        let time = session.execute()?.device_time;
        if run >= repetitions.warm_up {
            samples.push(time.unwrap_or_else(|| start.elapsed()));
        }
    }
    Ok(Samples::new(samples))
}

/// The same on several devices; the report is that of the run whose exchanges took longest.
pub fn time_shared<D: PeerDevice>(
    session: &mut SharedSession<'_, D>,
    repetitions: Repetitions,
) -> Result<(SharedReport, Option<Samples>), HostError> {
    session.set_synchronous(false);
    let (mut samples, mut slowest) = (Vec::new(), SharedReport::default());
    for run in 0..repetitions.warm_up.saturating_add(repetitions.repeat) {
        session.restore()?;
        let start = Instant::now();
        let report = session.execute()?;
        if run >= repetitions.warm_up {
            samples.push(report.run.device_time.unwrap_or_else(|| start.elapsed()));
            if samples.len() == 1 || report.exchange_time > slowest.exchange_time {
                slowest = report;
            }
        }
    }
    Ok((slowest, Samples::new(samples)))
}

/// Runs the program for about two seconds, each run taking `time`, and reads a counter of joules
/// before and after. The fields then hold the result of many runs.
pub fn energy<D: Device, E>(
    session: &mut Session<'_, D>,
    time: Duration,
    mut joules: impl FnMut() -> Result<f64, E>,
) -> Result<Energy, E>
where
    E: From<RuntimeError>,
{
    session.device().set_synchronous(false);
    let runs = runs_of(time);
    let before = joules()?;
    let start = Instant::now();
    session.execute_times(runs).map_err(RuntimeError::from)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Energy { runs: runs.get(), seconds, joules: joules()? - before })
}

/// Runs that fill the window.
fn runs_of(time: Duration) -> NonZeroU64 {
    let runs = ENERGY_WINDOW.as_secs_f64() / time.max(RUN_MIN).as_secs_f64();
    NonZeroU64::new(runs.ceil() as u64).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bind::Value, fake, samples};

    fn samples(milliseconds: &[u64]) -> Samples {
        Samples::new(milliseconds.iter().map(|&ms| Duration::from_millis(ms)).collect()).unwrap()
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(Samples::new(Vec::new()), None);
        assert_eq!(samples(&[3, 1, 2]).median(), Duration::from_millis(2));
        assert_eq!(samples(&[4, 1, 2, 3]).median(), Duration::from_micros(2500));
        assert_eq!(samples(&[7]).median(), Duration::from_millis(7));
    }

    #[test]
    fn the_spread_is_relative() {
        let samples = samples(&[11, 10, 9, 10]);
        assert_eq!(
            (samples.min(), samples.max()),
            (Duration::from_millis(9), Duration::from_millis(11))
        );
        assert!((samples.relative_spread() - 0.2).abs() < 1e-12);
        assert_eq!(samples.as_slice()[0], Duration::from_millis(11), "in the order of the runs");
    }

    #[test]
    fn every_run_starts_from_the_same_content() {
        let manifest = samples::manifest();
        let mut device = fake::FakeDevice {
            run_time: Some(Duration::from_millis(5)),
            ..fake::FakeDevice::default()
        };
        let (mut once, mut timed) = (fake::values(3), fake::values(3));
        let run = |values: &mut Vec<Value>, device: &mut fake::FakeDevice, repeat| {
            let arguments = values.iter_mut().map(Value::bound).collect();
            let mut session =
                Session::new(&manifest.functions[0], &manifest, device, arguments).unwrap();
            session.upload().unwrap();
            let times = time(&mut session, Repetitions { warm_up: 2, repeat }).unwrap();
            session.download().unwrap();
            times
        };
        assert_eq!(run(&mut once, &mut device, 0), None);
        let times = run(&mut timed, &mut device, 4).unwrap();
        assert_eq!(times.as_slice(), [Duration::from_millis(5); 4]);
        assert_eq!(once, timed);
        assert_eq!(device.launches().len(), 3 * (2 + 2 + 4));
    }

    #[test]
    fn energy_is_the_difference_of_a_counter() {
        assert_eq!(runs_of(Duration::from_millis(10)).get(), 200);
        assert_eq!(runs_of(Duration::from_secs(60)).get(), 1);
        assert_eq!(runs_of(Duration::ZERO).get(), 2_000_000);
        let manifest = samples::manifest();
        let (mut device, mut values) = (fake::FakeDevice::default(), fake::values(2));
        let arguments = values.iter_mut().map(Value::bound).collect();
        let mut session =
            Session::new(&manifest.functions[0], &manifest, &mut device, arguments).unwrap();
        session.upload().unwrap();
        let mut counter = 100.0;
        let read = || -> Result<f64, RuntimeError> {
            counter += 12.5;
            Ok(counter)
        };
        let energy = energy(&mut session, Duration::from_millis(500), read).unwrap();
        assert_eq!((energy.runs, energy.joules), (4, 12.5));
        assert!(energy.seconds > 0.0);
        drop(session);
        assert_eq!(device.launches().len(), 8);
    }
}
