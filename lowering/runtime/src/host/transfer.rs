//! Copies to the host that go on while a device computes.
//!
//! A device starts a transfer, may be given operations meanwhile, and finishes it. The copy is of
//! the content at its start. One transfer goes on at a time.

use super::DeviceError;

/// Memory of the host that transfers fill.
pub trait HostBytes: Send {
    /// Its content.
    fn bytes(&self) -> &[u8];
    /// Its content, to be changed.
    fn bytes_mut(&mut self) -> &mut [u8];
    /// Whether a device can copy to it by itself.
    fn is_pinned(&self) -> bool;
}

/// Memory of the host, of any kind.
pub type HostMemory = Box<dyn HostBytes>;

/// A transfer that was started.
pub enum Transfer {
    /// The copy is done.
    Done(HostMemory),
    /// The device copies, and keeps the memory until the transfer is finished.
    Going,
}

impl HostBytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }

    fn is_pinned(&self) -> bool {
        false
    }
}

/// Zeros in plain memory of the host.
pub fn plain_memory(bytes: usize) -> Result<Vec<u8>, DeviceError> {
    let mut content = Vec::new();
    content.try_reserve_exact(bytes).map_err(|_| DeviceError::Failed {
        operation: "copying from the device".to_owned(),
        message: format!("the host has no {bytes} bytes of memory left"),
    })?;
    content.resize(bytes, 0);
    Ok(content)
}
