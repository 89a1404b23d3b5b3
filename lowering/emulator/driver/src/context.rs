//! Contexts, and the current one of each thread.

use crate::{
    boundary::{Answer, Code, Handle, In, Out, export},
    state::{Driver, Waits, in_context, initialized},
};
use std::{cell::RefCell, collections::BTreeSet};

/// A context, the owner of modules, memory, streams and graphs.
pub(crate) struct Context {
    pub(crate) device: i32,
    /// Retain count of a primary context.
    primary: Option<u32>,
    /// Contexts whose memory it reaches.
    pub(crate) peers: BTreeSet<Handle>,
}

thread_local! {
    /// The context stack of this thread; the last is current.
    static CURRENT: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// The context that is current on this thread.
pub(crate) fn current() -> Option<Handle> {
    CURRENT.with_borrow(|stack| stack.last().copied())
}

fn push(context: Handle) {
    CURRENT.with_borrow_mut(|stack| stack.push(context));
}

fn pop() -> Option<Handle> {
    CURRENT.with_borrow_mut(Vec::pop)
}

impl Driver {
    fn primary(&self, device: i32) -> Option<Handle> {
        let is_it = |context: &Context| context.device == device && context.primary.is_some();
        self.contexts.iter().find(|(_, context)| is_it(context)).map(|(handle, _)| handle)
    }

    fn retain_primary(&mut self, device: i32) -> Answer<Handle> {
        self.check_device(device)?;
        let handle = match self.primary(device) {
            Some(handle) => handle,
            None => {
                let handle = self.new_handle();
                self.contexts
                    .insert(handle, Context { device, primary: Some(0), peers: BTreeSet::new() });
                handle
            }
        };
        let retained = &mut self.contexts.get_mut(handle)?.primary;
        *retained = retained.map(|count| count + 1);
        Ok(handle)
    }

    fn release_primary(&mut self, device: i32) -> Answer {
        self.check_device(device)?;
        let handle = self.primary(device).ok_or(Code::CUDA_ERROR_INVALID_CONTEXT)?;
        let retained = &mut self.contexts.get_mut(handle)?.primary;
        *retained = retained.map(|count| count - 1);
        match retained {
            Some(0) => self.destroy_context(handle),
            _ => Ok(()),
        }
    }

    fn create_context(&mut self, device: i32) -> Answer<Handle> {
        self.check_device(device)?;
        let handle = self.new_handle();
        self.contexts.insert(handle, Context { device, primary: None, peers: BTreeSet::new() });
        push(handle);
        Ok(handle)
    }

    /// Destroys a context and its objects. Leaked objects are logged.
    fn destroy_context(&mut self, handle: Handle) -> Answer {
        self.run_queue();
        self.contexts.remove(handle)?;
        let buffers = self.release_all(handle);
        let modules = self.modules.remove_where(|module| module.context == handle);
        self.functions.remove_where(|function| function.context == handle);
        let streams = self.streams.remove_of(handle);
        let events = self.events.remove_where(|event| event.context == handle);
        // Graphs belong to no context; hosts use one context at a time.
        let graphs = self.graphs.len() + self.executables.len();
        self.log.line(format_args!(
            "context destroyed, left in it: {buffers} buffers, {modules} modules, {streams} \
             streams, {events} events, {graphs} graphs"
        ));
        Ok(())
    }
}

export! {
    /// Retains the primary context of a device.
    fn cuDevicePrimaryCtxRetain(context: Out<Handle>, device: i32) {
        initialized(|driver| context.put(driver.retain_primary(device)?))
    }

    /// Releases the primary context.
    fn cuDevicePrimaryCtxRelease_v2(device: i32) {
        initialized(|driver| driver.release_primary(device))
    }

    /// Releases the primary context.
    fn cuDevicePrimaryCtxRelease(device: i32) {
        initialized(|driver| driver.release_primary(device))
    }

    /// Whether a device has a primary context.
    fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) {
        initialized(|driver| {
            driver.check_device(device)?;
            flags.put(0)?;
            active.put(driver.primary(device).is_some().into())
        })
    }

    /// Creates a context and makes it current.
    fn cuCtxCreate_v2(context: Out<Handle>, _flags: u32, device: i32) {
        initialized(|driver| context.put(driver.create_context(device)?))
    }

    /// Creates a context and makes it current; affinities are not emulated.
    fn cuCtxCreate_v3(
        context: Out<Handle>,
        _affinities: In<u8>,
        count: i32,
        _flags: u32,
        device: i32,
    ) {
        initialized(|driver| match count {
            0 => context.put(driver.create_context(device)?),
            _ => Err(Code::CUDA_ERROR_NOT_SUPPORTED),
        })
    }

    /// Creates a context and makes it current; parameters are not emulated.
    fn cuCtxCreate_v4(context: Out<Handle>, parameters: In<u8>, _flags: u32, device: i32) {
        initialized(|driver| match parameters.is_null() {
            true => context.put(driver.create_context(device)?),
            false => Err(Code::CUDA_ERROR_NOT_SUPPORTED),
        })
    }

    /// Destroys a context that was created, not retained.
    fn cuCtxDestroy_v2(context: Handle) {
        initialized(|driver| {
            let known = driver.contexts.get(context).map_err(|_| Code::CUDA_ERROR_INVALID_CONTEXT)?;
            if known.primary.is_some() {
                return Err(Code::CUDA_ERROR_INVALID_CONTEXT);
            }
            if current() == Some(context) {
                pop();
            }
            driver.destroy_context(context)
        })
    }

    /// Replaces the current context; null leaves none.
    fn cuCtxSetCurrent(context: Handle) {
        initialized(|driver| {
            if context != 0 {
                driver.contexts.get(context).map_err(|_| Code::CUDA_ERROR_INVALID_CONTEXT)?;
            }
            pop();
            if context != 0 {
                push(context);
            }
            Ok(())
        })
    }

    /// The context that is current, or null.
    fn cuCtxGetCurrent(context: Out<Handle>) {
        initialized(|_| context.put(current().unwrap_or(0)))
    }

    /// Pushes a context.
    fn cuCtxPushCurrent_v2(context: Handle) {
        initialized(|driver| {
            driver.contexts.get(context).map_err(|_| Code::CUDA_ERROR_INVALID_CONTEXT)?;
            push(context);
            Ok(())
        })
    }

    /// Pops the current context.
    fn cuCtxPopCurrent_v2(context: Out<Handle>) {
        initialized(|_| {
            let popped = pop().ok_or(Code::CUDA_ERROR_INVALID_CONTEXT)?;
            context.put_if_wanted(popped);
            Ok(())
        })
    }

    /// The device of the current context.
    fn cuCtxGetDevice(device: Out<i32>) {
        in_context(Waits::Never, |driver, context| {
            device.put(driver.contexts.get(context)?.device)
        })
    }

    /// The version of the interface that a context was made for.
    fn cuCtxGetApiVersion(_context: Handle, version: Out<u32>) {
        initialized(|driver| version.put(driver.config.driver_version.unsigned_abs()))
    }

    /// Waits for all work of the context.
    fn cuCtxSynchronize() {
        in_context(Waits::Never, |driver, _| {
            driver.forbid_while_capturing()?;
            driver.log.line(format_args!("synchronize context"));
            driver.catch_up(Waits::Always)
        })
    }

    /// Priorities of streams have no effect.
    fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        in_context(Waits::Never, |_, _| {
            least.put_if_wanted(0);
            greatest.put_if_wanted(0);
            Ok(())
        })
    }
}
