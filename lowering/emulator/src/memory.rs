//! Device memory: buffers that kernels read and write, separated by red zones.
//!
//! Every buffer is filled with `POISON_WORD`, which is a NaN in each floating-point format, so that
//! uninitialised values show in the result. A red zone of the same pattern surrounds it: checked
//! kernels never reach one, and after an unchecked launch the zones are compared with the pattern.
//!
//! Kernels write through raw pointers, from several threads at once. That is sound in Rust because
//! a launch borrows the `Memory` exclusively and buffers are never viewed as slices while it runs.
//! A race between blocks of the kernel is the kernel's own, as on a GPU.

use crate::error::EmulatorError;
use crate::execute::context::Range;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

/// The 32-bit pattern of uninitialised memory: a NaN as f16, bf16, f32 and f64.
pub const POISON_WORD: u32 = 0x7FF7_FFF7;

/// Alignment of a buffer, as `cuMemAlloc` guarantees it.
const ALIGNMENT_BYTES: usize = 256;

/// Size of a red zone; a multiple of the alignment.
const RED_ZONE_BYTES: usize = 4096;

/// Identifies a buffer of one `Memory`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub(crate) u32);

impl BufferId {
    /// The buffer's number, in the order of allocation.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// A buffer: red zone, data, red zone.
struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
}

impl Buffer {
    fn layout(bytes: usize) -> Option<Layout> {
        let padded = bytes.checked_next_multiple_of(ALIGNMENT_BYTES)?;
        let total = padded.checked_add(2 * RED_ZONE_BYTES)?;
        Layout::from_size_align(total, ALIGNMENT_BYTES).ok()
    }

    fn new(bytes: usize) -> Option<Buffer> {
        let layout = Buffer::layout(bytes)?;
        // SAFETY: the layout is never empty, because of the red zones.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        for word in 0..layout.size() / 4 {
            // SAFETY: `word` stays inside the allocation, which is aligned for u32.
            unsafe { start.cast::<u32>().add(word).write(POISON_WORD) };
        }
        Some(Buffer { start, bytes })
    }

    /// The first byte of the data.
    fn data(&self) -> *mut u8 {
        // SAFETY: the allocation begins with a red zone of that many bytes.
        unsafe { self.start.as_ptr().add(RED_ZONE_BYTES) }
    }

    /// True if only the data was written.
    fn red_zones_are_intact(&self) -> bool {
        let layout = Buffer::layout(self.bytes).expect("the same layout was allocated");
        let data = RED_ZONE_BYTES..RED_ZONE_BYTES + self.bytes;
        let outside = (0..data.start).chain(data.end..layout.size());
        let pattern = POISON_WORD.to_le_bytes();
        outside.into_iter().all(|at| {
            // SAFETY: `at` is inside the allocation, all of which was initialised.
            let byte = unsafe { self.start.as_ptr().add(at).read() };
            byte == pattern[at % 4]
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let layout = Buffer::layout(self.bytes).expect("the same layout was allocated");
        // SAFETY: allocated in `new` with this layout, freed once.
        unsafe { dealloc(self.start.as_ptr(), layout) };
    }
}

// SAFETY: a buffer owns its allocation; nothing in it is tied to a thread.
unsafe impl Send for Buffer {}
// SAFETY: shared references only read.
unsafe impl Sync for Buffer {}

/// The device's global memory.
#[derive(Default)]
pub struct Memory {
    buffers: Vec<Option<Buffer>>,
}

impl Memory {
    /// Memory without buffers.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates a buffer filled with `POISON_WORD`; it may be empty.
    pub fn allocate(&mut self, bytes: usize) -> Result<BufferId, EmulatorError> {
        let buffer = Buffer::new(bytes)
            .ok_or_else(|| memory_error(format!("{bytes} bytes are too many")))?;
        let index = u32::try_from(self.buffers.len())
            .map_err(|_| memory_error("too many buffers".to_owned()))?;
        self.buffers.push(Some(buffer));
        Ok(BufferId(index))
    }

    /// Allocates a buffer that holds `data`.
    pub fn allocate_with(&mut self, data: &[u8]) -> Result<BufferId, EmulatorError> {
        let buffer = self.allocate(data.len())?;
        self.write(buffer, 0, data)?;
        Ok(buffer)
    }

    /// Frees a buffer; a kernel that still reaches it faults.
    pub fn release(&mut self, buffer: BufferId) -> Result<(), EmulatorError> {
        self.live(buffer)?;
        self.buffers[buffer.0 as usize] = None;
        Ok(())
    }

    /// The size of a buffer in bytes.
    pub fn size_bytes(&self, buffer: BufferId) -> Result<usize, EmulatorError> {
        Ok(self.live(buffer)?.bytes)
    }

    /// Writes `data` into a buffer from byte `offset` on.
    pub fn write(
        &mut self,
        buffer: BufferId,
        offset: usize,
        data: &[u8],
    ) -> Result<(), EmulatorError> {
        let start = self.part(buffer, offset, data.len())?;
        // SAFETY: `part` checked the range; `data` is a Rust slice and cannot overlap a buffer.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), start, data.len()) };
        Ok(())
    }

    /// Reads `data.len()` bytes of a buffer from byte `offset` on.
    pub fn read(
        &self,
        buffer: BufferId,
        offset: usize,
        data: &mut [u8],
    ) -> Result<(), EmulatorError> {
        let start = self.part(buffer, offset, data.len())?;
        // SAFETY: `part` checked the range; `data` is a Rust slice and cannot overlap a buffer.
        unsafe { std::ptr::copy_nonoverlapping(start, data.as_mut_ptr(), data.len()) };
        Ok(())
    }

    /// The whole content of a buffer.
    pub fn contents(&self, buffer: BufferId) -> Result<Vec<u8>, EmulatorError> {
        let mut data = vec![0; self.size_bytes(buffer)?];
        self.read(buffer, 0, &mut data)?;
        Ok(data)
    }

    /// Copies all of `from` into `to`, which has the same size.
    pub fn copy(&mut self, from: BufferId, to: BufferId) -> Result<(), EmulatorError> {
        let (source, target) = (self.size_bytes(from)?, self.size_bytes(to)?);
        if source != target {
            let what = format!("copy of {source} bytes into a buffer of {target} bytes");
            return Err(memory_error(what));
        }
        let (source, target) = (self.part(from, 0, source)?, self.part(to, 0, source)?);
        // SAFETY: both ranges were checked; `copy` allows them to be the same.
        unsafe { std::ptr::copy(source, target, self.size_bytes(from)?) };
        Ok(())
    }

    /// Copies `bytes` bytes between two positions, each a buffer and an offset; the ranges may
    /// overlap.
    pub fn copy_part(
        &mut self,
        from: (BufferId, usize),
        to: (BufferId, usize),
        bytes: usize,
    ) -> Result<(), EmulatorError> {
        let source = self.part(from.0, from.1, bytes)?;
        let target = self.part(to.0, to.1, bytes)?;
        // SAFETY: both ranges were checked; `copy` allows them to overlap.
        unsafe { std::ptr::copy(source, target, bytes) };
        Ok(())
    }

    /// The address of a buffer's first byte, as kernels see it.
    pub fn address(&self, buffer: BufferId) -> Result<u64, EmulatorError> {
        Ok(self.range(buffer)?.base)
    }

    /// The buffer and offset of an address. The end address belongs to the buffer too: red zones
    /// keep it from being the start of another.
    pub fn find(&self, address: u64) -> Option<(BufferId, usize)> {
        let range = self.range_at(address)?;
        Some((BufferId(range.buffer), (address - range.base) as usize))
    }

    /// The range that an address is in, or right after.
    pub(crate) fn range_at(&self, address: u64) -> Option<Range> {
        let ids = (0..self.buffers.len() as u32).map(BufferId);
        let mut ranges = ids.filter_map(|id| self.range(id).ok());
        ranges.find(|range| address >= range.base && address - range.base <= range.bytes)
    }

    /// The address range of a buffer.
    pub(crate) fn range(&self, buffer: BufferId) -> Result<Range, EmulatorError> {
        let live = self.live(buffer)?;
        Ok(Range { base: live.data() as u64, bytes: live.bytes as u64, buffer: buffer.0 })
    }

    /// Address ranges of all live buffers, in the order of addresses.
    pub(crate) fn ranges(&self) -> Vec<Range> {
        let ids = (0..self.buffers.len() as u32).map(BufferId);
        let mut all: Vec<Range> = ids.filter_map(|id| self.range(id).ok()).collect();
        all.sort_by_key(|range| range.base);
        all
    }

    /// Fails if anything outside the buffers was written, naming the first buffer concerned.
    pub(crate) fn check_red_zones(&self) -> Result<(), EmulatorError> {
        let damaged = self.buffers.iter().position(|buffer| {
            buffer.as_ref().is_some_and(|buffer| !buffer.red_zones_are_intact())
        });
        match damaged {
            None => Ok(()),
            Some(index) => Err(memory_error(format!(
                "the kernel wrote outside buffer {index}; run it checked to see where"
            ))),
        }
    }

    fn live(&self, buffer: BufferId) -> Result<&Buffer, EmulatorError> {
        let found = self.buffers.get(buffer.0 as usize).and_then(Option::as_ref);
        found.ok_or_else(|| memory_error(format!("buffer {} does not exist", buffer.0)))
    }

    /// The address of byte `offset`, where `bytes` bytes from there on are inside the buffer.
    fn part(
        &self,
        buffer: BufferId,
        offset: usize,
        bytes: usize,
    ) -> Result<*mut u8, EmulatorError> {
        let live = self.live(buffer)?;
        if offset > live.bytes || bytes > live.bytes - offset {
            let (index, size) = (buffer.0, live.bytes);
            let access = format!("an access of length {bytes} at byte {offset}");
            let what = format!("{access} leaves buffer {index} of length {size}");
            return Err(memory_error(what));
        }
        // SAFETY: `offset` is at most the size of the data.
        Ok(unsafe { live.data().add(offset) })
    }
}

fn memory_error(what: String) -> EmulatorError {
    EmulatorError::Memory { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_buffers_hold_a_nan_in_every_format() {
        let mut memory = Memory::new();
        let buffer = memory.allocate(16).unwrap();
        let data = memory.contents(buffer).unwrap();
        let single = f32::from_le_bytes(data[..4].try_into().unwrap());
        let double = f64::from_le_bytes(data[..8].try_into().unwrap());
        assert!(single.is_nan() && double.is_nan());
        for half in [0x7FF7_u16, 0xFFF7] {
            assert!(half & 0x7C00 == 0x7C00 && half & 0x03FF != 0, "f16");
            assert!(half & 0x7F80 == 0x7F80 && half & 0x007F != 0, "bf16");
        }
    }

    #[test]
    fn host_accesses_are_bounded_and_buffers_die() {
        let mut memory = Memory::new();
        let buffer = memory.allocate_with(&[1, 2, 3]).unwrap();
        assert!(memory.write(buffer, 2, &[9]).is_ok());
        for offset in [3, usize::MAX] {
            assert_eq!(
                memory.write(buffer, offset, &[9]).unwrap_err().to_string(),
                format!(
                    "device memory: an access of length 1 at byte {offset} leaves buffer 0 of \
                     length 3"
                )
            );
        }
        let other = memory.allocate(3).unwrap();
        memory.copy(buffer, other).unwrap();
        assert_eq!(memory.contents(other).unwrap(), [1, 2, 9]);
        memory.release(buffer).unwrap();
        assert_eq!(
            memory.contents(buffer).unwrap_err().to_string(),
            "device memory: buffer 0 does not exist"
        );
        assert_eq!(memory.ranges().len(), 1);
        assert_eq!(
            memory.allocate(usize::MAX).unwrap_err().to_string(),
            format!("device memory: {} bytes are too many", usize::MAX)
        );
    }

    #[test]
    fn addresses_are_found_to_the_end_of_their_buffer() {
        let mut memory = Memory::new();
        let (first, second) = (memory.allocate(10).unwrap(), memory.allocate(20).unwrap());
        let address = memory.address(second).unwrap();
        assert_eq!(memory.find(address), Some((second, 0)));
        assert_eq!(memory.find(address + 20), Some((second, 20)));
        assert_eq!(memory.find(address + 21), None);
        assert_eq!(memory.find(address - 1), None);
        memory.release(second).unwrap();
        assert_eq!(memory.find(address), None);
        assert_eq!(memory.find(memory.address(first).unwrap() + 3), Some((first, 3)));
    }

    #[test]
    fn parts_of_buffers_are_copied_inside_their_bounds() {
        let mut memory = Memory::new();
        let buffer = memory.allocate_with(&[1, 2, 3, 4]).unwrap();
        memory.copy_part((buffer, 0), (buffer, 1), 3).unwrap();
        assert_eq!(memory.contents(buffer).unwrap(), [1, 1, 2, 3]);
        for (from, to) in [(0, 2), (2, 0)] {
            assert_eq!(
                memory.copy_part((buffer, from), (buffer, to), 3).unwrap_err().to_string(),
                "device memory: an access of length 3 at byte 2 leaves buffer 0 of length 4"
            );
        }
    }

    #[test]
    fn a_write_outside_a_buffer_is_seen() {
        let mut memory = Memory::new();
        let buffer = memory.allocate(5).unwrap();
        assert!(memory.check_red_zones().is_ok());
        let range = memory.range(buffer).unwrap();
        // SAFETY: the byte after the data belongs to the red zone.
        unsafe { ((range.base + 5) as *mut u8).write(0) };
        let message = memory.check_red_zones().unwrap_err().to_string();
        assert!(message.contains("outside buffer 0"), "{message}");
    }
}
