//! Copies between devices, and whether they reach each other.

use crate::{
    boundary::{Answer, Code, Handle, Out, export},
    copies::copy_inside,
    state::{Driver, Waits, in_context, initialized},
};

impl Driver {
    /// Lets a context reach the memory of another one.
    fn enable_peer(&mut self, context: Handle, peer: Handle) -> Answer {
        let (own, other) = (self.contexts.get(context)?.device, self.contexts.get(peer));
        let other = other.map_err(|_| Code::CUDA_ERROR_INVALID_CONTEXT)?.device;
        if own == other {
            return Err(Code::CUDA_ERROR_INVALID_DEVICE);
        }
        if !self.config.peers {
            return Err(Code::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        match self.contexts.get_mut(context)?.peers.insert(peer) {
            true => Ok(()),
            false => Err(Code::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
        }
    }

    fn disable_peer(&mut self, context: Handle, peer: Handle) -> Answer {
        match self.contexts.get_mut(context)?.peers.remove(&peer) {
            true => Ok(()),
            false => Err(Code::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
        }
    }

    /// Refuses memory that does not belong to the context that a copy names.
    fn check_owner(&self, address: u64, context: Handle) -> Answer {
        let named = self.contexts.get(context).map_err(|_| Code::CUDA_ERROR_INVALID_CONTEXT)?;
        match self.allocations.device_at(address) {
            Some(device) if device == named.device => Ok(()),
            _ => Err(Code::CUDA_ERROR_INVALID_VALUE),
        }
    }
}

export! {
    /// Whether a device can reach the memory of another one.
    fn cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        initialized(|driver| {
            driver.check_device(device)?;
            driver.check_device(peer)?;
            can.put((driver.config.peers && device != peer).into())
        })
    }

    /// Lets the current context reach the memory of another one.
    fn cuCtxEnablePeerAccess(peer: Handle, flags: u32) {
        in_context(Waits::Never, |driver, context| match flags {
            0 => driver.enable_peer(context, peer),
            _ => Err(Code::CUDA_ERROR_INVALID_VALUE),
        })
    }

    /// The contrary.
    fn cuCtxDisablePeerAccess(peer: Handle) {
        in_context(Waits::Never, |driver, context| driver.disable_peer(context, peer))
    }

    /// Copies between devices, in the order of a stream; through the host where they do not reach
    /// each other.
    fn cuMemcpyPeerAsync(
        to: u64,
        to_context: Handle,
        from: u64,
        from_context: Handle,
        bytes: usize,
        stream: Handle,
    ) {
        in_context(Waits::Never, |driver, _| {
            driver.check_owner(to, to_context)?;
            driver.check_owner(from, from_context)?;
            copy_inside(driver, stream, (to, from), bytes)
        })
    }
}
