//! Configuration of the emulated driver, from the environment.

use std::{collections::BTreeMap, env, ffi::OsStr, path::PathBuf, str::FromStr};
use stencil_emulator::Races;
use stencil_model::{product::Product, target::Architecture};

/// When kernel errors are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lag {
    /// By the next call.
    None,
    /// By the next call that synchronizes, however briefly.
    Usual,
    /// As late as allowed: operations are queued until a call synchronizes.
    Longest,
}

/// A launch that is made to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedFault {
    pub(crate) kernel: String,
    /// Which launch of it, counted from 1.
    pub(crate) launch: u64,
}

/// The configuration.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) packages: Vec<PathBuf>,
    /// None: that of the first package.
    pub(crate) target: Option<&'static Architecture>,
    /// The chip whose name and facts are reported; none: those of no chip.
    pub(crate) chip: Option<&'static Product>,
    /// As CUDA counts: 1000 * major + 10 * minor.
    pub(crate) driver_version: i32,
    pub(crate) devices: i32,
    pub(crate) memory_bytes: usize,
    pub(crate) fault: Option<PlannedFault>,
    pub(crate) log: Option<PathBuf>,
    pub(crate) lag: Lag,
    /// Seed for the order of a kernel's blocks.
    pub(crate) order_seed: Option<u64>,
    /// Memory that is checked for races.
    pub(crate) races: Races,
    /// Seed for the order of work of several streams; work is then done late.
    pub(crate) stream_seed: Option<u64>,
    /// Whether devices reach each other's memory.
    pub(crate) peers: bool,
    /// Whether streams wait for events: a fault, if they do not.
    pub(crate) waits: bool,
}

impl Config {
    /// Whether work is queued until a call waits for it.
    pub(crate) fn defers(&self) -> bool {
        self.lag == Lag::Longest || self.stream_seed.is_some()
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            packages: Vec::new(),
            target: None,
            chip: None,
            driver_version: 13_000,
            devices: 1,
            memory_bytes: 4 << 30,
            fault: None,
            log: None,
            lag: Lag::Usual,
            order_seed: None,
            races: Races::default(),
            stream_seed: None,
            peers: true,
            waits: true,
        }
    }
}

/// The packages that the environment currently names; of a folder those in it and below.
pub(crate) fn packages() -> Vec<PathBuf> {
    let named = env::var_os("STENCIL_EMULATED_PACKAGES").map(|named| split(&named));
    named.unwrap_or_default().into_iter().flat_map(in_folder).collect()
}

fn in_folder(path: PathBuf) -> Vec<PathBuf> {
    let Ok(entries) = path.read_dir() else { return vec![path] };
    let mut entries = entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>();
    entries.sort();
    let is_package = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "spk");
    let entries = entries.into_iter().filter(|path| path.is_dir() || is_package(path));
    entries.flat_map(in_folder).collect()
}

fn split(named: &OsStr) -> Vec<PathBuf> {
    env::split_paths(named).filter(|path| !path.as_os_str().is_empty()).collect()
}

impl Config {
    /// Reads the environment. An invalid value is a panic that names it: a call of the driver could
    /// only return a code.
    pub(crate) fn from_environment() -> Config {
        let known = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            let name = name.to_str()?.strip_prefix("STENCIL_EMULATED_")?.to_owned();
            Some((name, value.to_str()?.to_owned()))
        };
        Config::read(&env::vars_os().filter_map(known).collect())
            .unwrap_or_else(|why| panic!("{why}"))
    }

    /// Reads the variables, without their common prefix.
    fn read(variables: &BTreeMap<String, String>) -> Result<Config, String> {
        let mut config = Config::default();
        for (name, value) in variables {
            let wrong =
                |what: &str| format!("STENCIL_EMULATED_{name} is '{value}', which is no {what}");
            match name.as_str() {
                "PACKAGES" => config.packages = split(OsStr::new(value)),
                "TARGET" => {
                    let found = Architecture::parse(value);
                    config.target = Some(found.map_err(|error| error.to_string())?);
                }
                "CHIP" => {
                    let found = Product::told(value);
                    config.chip = Some(found.map_err(|error| error.to_string())?);
                }
                "DRIVER_VERSION" => {
                    config.driver_version = number(value).ok_or(wrong("version"))?
                }
                "DEVICES" => config.devices = number(value).ok_or(wrong("count"))?,
                "MEMORY" => config.memory_bytes = number(value).ok_or(wrong("number of bytes"))?,
                "FAULT" => config.fault = Some(fault(value).ok_or(wrong("kernel[:launch]"))?),
                "LOG" => config.log = Some(PathBuf::from(value)),
                "LAG" => {
                    config.lag = match value.as_str() {
                        "0" => Lag::None,
                        "1" => Lag::Longest,
                        _ => return Err(wrong("0 or 1")),
                    };
                }
                "RACES" => {
                    config.races = match value.as_str() {
                        "off" => Races::Off,
                        "shared" => Races::Shared,
                        "all" => Races::All,
                        _ => return Err(wrong("off, shared or all")),
                    };
                }
                "STREAMS" => config.stream_seed = Some(number(value).ok_or(wrong("seed"))?),
                "PEERS" => config.peers = switch(value).ok_or(wrong("0 or 1"))?,
                "WAITS" => config.waits = switch(value).ok_or(wrong("0 or 1"))?,
                "ORDER" => config.order_seed = Some(number(value).ok_or(wrong("seed"))?),
                _ => return Err(format!("STENCIL_EMULATED_{name} is not known")),
            }
        }
        Ok(config)
    }
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn switch(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

fn fault(text: &str) -> Option<PlannedFault> {
    let (kernel, launch) = match text.split_once(':') {
        Some((kernel, launch)) => (kernel, number(launch).filter(|launch| *launch > 0)?),
        None => (text, 1),
    };
    (!kernel.is_empty()).then(|| PlannedFault { kernel: kernel.to_owned(), launch })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, String> {
        let owned = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::read(&owned.collect())
    }

    #[test]
    fn variables_are_read() {
        let config = read(&[
            ("PACKAGES", "a.spk::b/c.spk"),
            ("FAULT", "step:3"),
            ("LAG", "1"),
            ("MEMORY", "4096"),
            ("TARGET", "sm_80"),
            ("CHIP", "l40s"),
            ("RACES", "all"),
            ("STREAMS", "7"),
            ("PEERS", "0"),
            ("WAITS", "0"),
        ])
        .unwrap();
        assert_eq!(config.packages, [PathBuf::from("a.spk"), PathBuf::from("b/c.spk")]);
        assert_eq!(config.fault, Some(PlannedFault { kernel: "step".to_owned(), launch: 3 }));
        assert_eq!((config.lag, config.memory_bytes), (Lag::Longest, 4096));
        assert_eq!(config.races, Races::All);
        assert_eq!((config.stream_seed, config.peers, config.waits), (Some(7), false, false));
        assert_eq!(config.target.unwrap().name, "sm_80");
        assert_eq!(config.chip.unwrap().name(), "NVIDIA L40S");
        let first = read(&[("FAULT", "step")]).unwrap().fault.unwrap();
        assert_eq!(first.launch, 1);
    }

    #[test]
    fn what_means_nothing_is_named() {
        for (name, value) in [
            ("DEVICES", "many"),
            ("LAG", "2"),
            ("FAULT", "step:0"),
            ("FAULT", ":1"),
            ("LOGS", "a"),
            ("RACES", "1"),
            ("STREAMS", "any"),
            ("PEERS", "some"),
            ("WAITS", "no"),
        ] {
            let why = read(&[(name, value)]).unwrap_err();
            assert!(why.contains(&format!("STENCIL_EMULATED_{name}")), "{why}");
        }
        assert!(read(&[("TARGET", "sm_10")]).unwrap_err().contains("known targets are"));
        assert!(read(&[("CHIP", "voodoo")]).unwrap_err().contains("known chips are"));
    }
}
