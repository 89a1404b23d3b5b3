//! The state of the emulated driver, and the common part of every call.

use crate::{
    boundary::{Answer, Code, Handle},
    code::Library,
    config::{Config, Lag},
    context::{self, Context},
    device::Device,
    event::Event,
    graph::{Executable, Graph},
    log::Log,
    memory::Allocations,
    module::{Function, Module},
    queue::Queue,
    stream::{Capture, Stream, Streams},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{LazyLock, Mutex},
};

/// Objects of one kind, by C handle.
pub(crate) struct Table<T>(BTreeMap<Handle, T>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table(BTreeMap::new())
    }
}

impl<T> Table<T> {
    pub(crate) fn get(&self, handle: Handle) -> Answer<&T> {
        self.0.get(&handle).ok_or(Code::CUDA_ERROR_INVALID_HANDLE)
    }

    pub(crate) fn get_mut(&mut self, handle: Handle) -> Answer<&mut T> {
        self.0.get_mut(&handle).ok_or(Code::CUDA_ERROR_INVALID_HANDLE)
    }

    pub(crate) fn remove(&mut self, handle: Handle) -> Answer<T> {
        self.0.remove(&handle).ok_or(Code::CUDA_ERROR_INVALID_HANDLE)
    }

    pub(crate) fn insert(&mut self, handle: Handle, object: T) {
        self.0.insert(handle, object);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.0.iter().map(|(handle, object)| (*handle, object))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Removes the objects for which `goes` holds; returns their number.
    pub(crate) fn remove_where(&mut self, goes: impl Fn(&T) -> bool) -> usize {
        let before = self.0.len();
        self.0.retain(|_, object| !goes(object));
        before - self.0.len()
    }
}

/// A kernel that failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    /// Whether a call has returned it; then every later call does.
    pub(crate) reported: bool,
}

/// How a call synchronizes with the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Asynchronous, or a query of constant state.
    Never,
    /// A GPU may have done the work before it returns, so it may report a failure.
    Perhaps,
    /// It returns when all work is done, and reports a failure.
    Always,
}

/// The state of the driver.
pub(crate) struct Driver {
    pub(crate) config: Config,
    pub(crate) library: Library,
    pub(crate) device: Device,
    pub(crate) initialized: bool,
    pub(crate) contexts: Table<Context>,
    pub(crate) modules: Table<Module>,
    pub(crate) functions: Table<Function>,
    pub(crate) streams: Streams,
    pub(crate) captures: Table<Capture>,
    pub(crate) events: Table<Event>,
    pub(crate) graphs: Table<Graph>,
    pub(crate) executables: Table<Executable>,
    pub(crate) allocations: Allocations,
    /// Queued operations, with lag.
    pub(crate) queue: Queue,
    pub(crate) failure: Option<Failure>,
    pub(crate) log: Log,
    /// Launches of each kernel so far.
    pub(crate) launches: HashMap<String, u64>,
    handles: Handle,
}

static DRIVER: LazyLock<Mutex<Driver>> =
    LazyLock::new(|| Mutex::new(Driver::new(Config::from_environment())));

/// Runs `body` on the state, which is poisoned if a call has panicked.
pub(crate) fn with<T>(body: impl FnOnce(&mut Driver) -> Answer<T>) -> Answer<T> {
    let mut driver = DRIVER.lock().map_err(|_| Code::CUDA_ERROR_UNKNOWN)?;
    body(&mut driver)
}

/// Runs `body` on the state of an initialized driver.
pub(crate) fn initialized<T>(body: impl FnOnce(&mut Driver) -> Answer<T>) -> Answer<T> {
    with(|driver| match driver.initialized {
        true => body(driver),
        false => Err(Code::CUDA_ERROR_NOT_INITIALIZED),
    })
}

/// Runs `body` in the current context, after synchronizing.
pub(crate) fn in_context<T>(
    waits: Waits,
    body: impl FnOnce(&mut Driver, Handle) -> Answer<T>,
) -> Answer<T> {
    initialized(|driver| {
        let context = context::current().ok_or(Code::CUDA_ERROR_INVALID_CONTEXT)?;
        if driver.contexts.get(context).is_err() {
            return Err(Code::CUDA_ERROR_CONTEXT_IS_DESTROYED);
        }
        driver.catch_up(waits)?;
        body(driver, context)
    })
}

impl Driver {
    pub(crate) fn new(config: Config) -> Driver {
        let library = Library::read(&config.packages);
        let device = Device::new(&config, &library);
        Driver {
            library,
            device,
            initialized: false,
            contexts: Table::default(),
            modules: Table::default(),
            functions: Table::default(),
            streams: Streams::default(),
            captures: Table::default(),
            events: Table::default(),
            graphs: Table::default(),
            executables: Table::default(),
            allocations: Allocations::default(),
            queue: Queue::default(),
            failure: None,
            log: Log::new(config.log.as_deref()),
            launches: HashMap::new(),
            handles: FIRST_HANDLE,
            config,
        }
    }

    /// A new handle.
    pub(crate) fn new_handle(&mut self) -> Handle {
        self.handles += HANDLE_STEP;
        self.handles
    }

    /// Executes the work that a call waits for, and reports a failure where the call must or may.
    pub(crate) fn catch_up(&mut self, waits: Waits) -> Answer {
        if waits != Waits::Never {
            self.run_queue();
        }
        let reports = match (self.config.lag, waits) {
            (_, Waits::Always) | (Lag::None, _) | (Lag::Usual, Waits::Perhaps) => true,
            (Lag::Usual, Waits::Never) | (Lag::Longest, _) => false,
        };
        match &mut self.failure {
            Some(failure) if reports || failure.reported => {
                failure.reported = true;
                Err(failure.code)
            }
            _ => Ok(()),
        }
    }

    /// Records a failure; the first counts.
    pub(crate) fn fail(&mut self, code: Code, why: &str) {
        self.log.line(format_args!("fault: {why}"));
        self.failure.get_or_insert(Failure { code, reported: false });
    }

    /// The stream of a handle.
    pub(crate) fn stream(&self, handle: Handle) -> Answer<&Stream> {
        self.streams.get(handle)
    }
}

/// Handles look like addresses, above those of the default streams.
const FIRST_HANDLE: Handle = 0x1000;
const HANDLE_STEP: Handle = 0x10;

#[cfg(test)]
pub(crate) mod testing {
    //! A separate driver for each test, serialised.

    use super::*;
    use std::sync::{MutexGuard, PoisonError};

    static TURN: Mutex<()> = Mutex::new(());

    /// Starts the driver anew; other tests wait until the guard is dropped.
    pub(crate) fn restart(config: Config, code: &[(&str, &str)]) -> MutexGuard<'static, ()> {
        // A test that failed leaves nothing that the next one uses.
        let guard = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut driver = Driver::new(config);
        driver.library = Library::of_texts(code);
        DRIVER.clear_poison();
        *DRIVER.lock().unwrap() = driver;
        guard
    }
}
