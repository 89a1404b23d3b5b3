//! Device memory, and pinned memory of the host.

use crate::{
    boundary::{Answer, Code, Handle, In, Out, export, write_at},
    operations::Operation,
    state::{Driver, Waits, in_context},
};
use cudarc::driver::sys::{CUmemorytype_enum as MemoryType, CUpointer_attribute_enum as Attribute};
use std::collections::BTreeMap;
use stencil_emulator::{BufferId, Memory};

/// All allocations.
#[derive(Default)]
pub(crate) struct Allocations {
    pub(crate) memory: Memory,
    /// By address.
    device: BTreeMap<u64, Allocation>,
    /// Pinned host memory, by address; words keep it aligned.
    pinned: BTreeMap<usize, Pinned>,
}

/// A buffer on the device.
struct Allocation {
    buffer: BufferId,
    bytes: usize,
    context: Handle,
    device: i32,
}

struct Pinned {
    _words: Vec<u64>,
    bytes: usize,
}

impl Allocations {
    fn used_bytes(&self, device: i32) -> usize {
        let of_device = |allocation: &&Allocation| allocation.device == device;
        self.device.values().filter(of_device).map(|allocation| allocation.bytes).sum()
    }

    /// The allocation that an address is in.
    fn containing(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (start, allocation) = self.device.range(..=address).next_back()?;
        (address - start < allocation.bytes as u64).then_some((*start, allocation))
    }

    /// The buffer and offset of an address range inside a buffer.
    pub(crate) fn part(&self, address: u64, bytes: u64) -> Option<(BufferId, usize)> {
        let (buffer, offset) = self.memory.find(address)?;
        let size = self.memory.size_bytes(buffer).ok()? as u64;
        (bytes <= size - offset as u64).then_some((buffer, offset))
    }

    /// Whether an address is device memory.
    pub(crate) fn is_device(&self, address: u64) -> bool {
        self.containing(address).is_some()
    }

    /// The device whose memory an address is in.
    pub(crate) fn device_at(&self, address: u64) -> Option<i32> {
        self.containing(address).map(|(_, allocation)| allocation.device)
    }

    /// Whether host memory is pinned, so that an asynchronous copy reads it later.
    pub(crate) fn is_pinned(&self, address: usize) -> bool {
        let before = self.pinned.range(..=address).next_back();
        before.is_some_and(|(start, pinned)| address - start < pinned.bytes.max(1))
    }

    pub(crate) fn release(&mut self, address: u64) -> Answer {
        let allocation = self.device.remove(&address).ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
        let released = self.memory.release(allocation.buffer);
        released.map_err(|_| Code::CUDA_ERROR_INVALID_VALUE)
    }
}

impl Driver {
    fn device_of(&self, context: Handle) -> Answer<i32> {
        Ok(self.contexts.get(context)?.device)
    }

    fn allocate(&mut self, context: Handle, bytes: usize) -> Answer<u64> {
        if bytes == 0 {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        let device = self.device_of(context)?;
        let free = self.config.memory_bytes.saturating_sub(self.allocations.used_bytes(device));
        if bytes > free {
            self.log.line(format_args!("allocate {bytes} bytes: only {free} are free"));
            return Err(Code::CUDA_ERROR_OUT_OF_MEMORY);
        }
        let memory = &mut self.allocations.memory;
        let buffer = memory.allocate(bytes).map_err(|_| Code::CUDA_ERROR_OUT_OF_MEMORY)?;
        let address = memory.address(buffer).expect("the buffer was allocated just now");
        let allocation = Allocation { buffer, bytes, context, device };
        self.allocations.device.insert(address, allocation);
        self.log.line(format_args!("allocate {bytes} bytes"));
        Ok(address)
    }

    /// Frees the buffers of a context, and returns their number.
    pub(crate) fn release_all(&mut self, context: Handle) -> usize {
        let of_context = |(_, allocation): &(&u64, &Allocation)| allocation.context == context;
        let device = self.allocations.device.iter();
        let all: Vec<u64> = device.filter(of_context).map(|(address, _)| *address).collect();
        for address in &all {
            self.allocations.release(*address).expect("the address is in the table");
        }
        all.len()
    }

    fn allocate_host(&mut self, bytes: usize) -> Answer<usize> {
        if bytes == 0 {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        }
        let mut words = Vec::new();
        let count = bytes.div_ceil(size_of::<u64>());
        words.try_reserve_exact(count).map_err(|_| Code::CUDA_ERROR_OUT_OF_MEMORY)?;
        words.resize(count, 0_u64);
        let address = words.as_mut_ptr().expose_provenance();
        self.allocations.pinned.insert(address, Pinned { _words: words, bytes });
        Ok(address)
    }

    /// Writes an attribute of the device memory at an address.
    fn pointer_attribute(&self, data: usize, attribute: u32, address: u64) -> Answer {
        use Attribute::*;
        let is = |known: Attribute| known as u32 == attribute;
        let (start, allocation) =
            self.allocations.containing(address).ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
        if is(CU_POINTER_ATTRIBUTE_CONTEXT) {
            write_at(data).put(allocation.context)
        } else if is(CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            write_at(data).put(MemoryType::CU_MEMORYTYPE_DEVICE as u32)
        } else if is(CU_POINTER_ATTRIBUTE_DEVICE_POINTER) {
            write_at(data).put(address)
        } else if is(CU_POINTER_ATTRIBUTE_BUFFER_ID) {
            write_at(data).put(u64::from(allocation.buffer.index()))
        } else if is(CU_POINTER_ATTRIBUTE_IS_MANAGED) {
            write_at(data).put(0_u32)
        } else if is(CU_POINTER_ATTRIBUTE_MAPPED) {
            write_at(data).put(1_u32)
        } else if is(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
            write_at(data).put(allocation.device)
        } else if is(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) {
            write_at(data).put(start)
        } else if is(CU_POINTER_ATTRIBUTE_RANGE_SIZE) {
            write_at(data).put(allocation.bytes)
        } else {
            Err(Code::CUDA_ERROR_INVALID_VALUE)
        }
    }
}

/// Attributes of a pointer outside device memory: zero, as in CUDA.
fn write_nothing(data: usize, attribute: u32) -> Answer {
    use Attribute::*;
    let words = [
        CU_POINTER_ATTRIBUTE_CONTEXT,
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER,
        CU_POINTER_ATTRIBUTE_BUFFER_ID,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    ];
    match words.iter().any(|known| *known as u32 == attribute) {
        true => write_at(data).put(0_u64),
        // -2 is "no device".
        false if attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL as u32 => {
            write_at(data).put(-2_i32)
        }
        false => write_at(data).put(0_u32),
    }
}

export! {
    /// Free and total memory of the current device.
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        in_context(Waits::Never, |driver, context| {
            let all = driver.config.memory_bytes;
            let used = driver.allocations.used_bytes(driver.device_of(context)?);
            free.put(all.saturating_sub(used))?;
            total.put(all)
        })
    }

    /// Allocates memory; it is filled with a pattern that is a NaN in every format.
    fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) {
        in_context(Waits::Never, |driver, context| {
            driver.forbid_while_capturing()?;
            address.put(driver.allocate(context, bytes)?)
        })
    }

    /// Allocates memory in the order of a stream, which is immediately.
    fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: Handle) {
        in_context(Waits::Never, |driver, context| {
            driver.forbid_capturing(stream)?;
            address.put(driver.allocate(context, bytes)?)
        })
    }

    /// Synchronizes and frees memory.
    fn cuMemFree_v2(address: u64) {
        in_context(Waits::Perhaps, |driver, _| {
            driver.forbid_while_capturing()?;
            match address {
                0 => Ok(()),
                _ => driver.allocations.release(address),
            }
        })
    }

    /// Frees memory after the work of a stream.
    fn cuMemFreeAsync(address: u64, stream: Handle) {
        in_context(Waits::Never, |driver, _| {
            driver.forbid_capturing(stream)?;
            if !driver.allocations.device.contains_key(&address) {
                return Err(Code::CUDA_ERROR_INVALID_VALUE);
            }
            driver.submit(stream, Operation::Free(address))
        })
    }

    /// The allocation of an address.
    fn cuMemGetAddressRange_v2(start: Out<u64>, bytes: Out<usize>, address: u64) {
        in_context(Waits::Never, |driver, _| {
            let found = driver.allocations.containing(address);
            let (base, allocation) = found.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
            start.put_if_wanted(base);
            bytes.put_if_wanted(allocation.bytes);
            Ok(())
        })
    }

    /// Allocates pinned memory of the host.
    fn cuMemAllocHost_v2(address: Out<usize>, bytes: usize) {
        in_context(Waits::Never, |driver, _| address.put(driver.allocate_host(bytes)?))
    }

    /// Allocates pinned host memory; caching flags have no effect.
    fn cuMemHostAlloc(address: Out<usize>, bytes: usize, _flags: u32) {
        in_context(Waits::Never, |driver, _| address.put(driver.allocate_host(bytes)?))
    }

    /// Frees pinned memory of the host.
    fn cuMemFreeHost(address: usize) {
        in_context(Waits::Perhaps, |driver, _| {
            let freed = driver.allocations.pinned.remove(&address);
            freed.map(|_| ()).ok_or(Code::CUDA_ERROR_INVALID_VALUE)
        })
    }

    /// An attribute of device memory.
    fn cuPointerGetAttribute(data: Out<u8>, attribute: u32, address: u64) {
        in_context(Waits::Never, |driver, _| {
            driver.pointer_attribute(data.address(), attribute, address)
        })
    }

    /// Attributes of a pointer; zeros outside device memory.
    fn cuPointerGetAttributes(count: u32, attributes: In<u32>, data: In<usize>, address: u64) {
        in_context(Waits::Never, |driver, _| {
            let attributes = attributes.list(count as usize)?;
            for (attribute, data) in attributes.into_iter().zip(data.list(count as usize)?) {
                match driver.allocations.is_device(address) {
                    true => driver.pointer_attribute(data, attribute, address)?,
                    false => write_nothing(data, attribute)?,
                }
            }
            Ok(())
        })
    }
}
