//! Copies and fills of bytes, 2D and 3D regions.
//!
//! All copies are of a box: `depth` slices of `height` rows of `width` bytes, with a pitch per
//! side. A device side must lie in one allocation and a host side in none, which detects exchanged
//! arguments.

use crate::{
    boundary::{Answer, Code, Handle, In, Out, export, host_bytes, host_bytes_mut},
    memory::Allocations,
    operations::Operation,
    state::{Driver, Waits, in_context},
};
use cudarc::driver::sys::{CUDA_MEMCPY2D_st, CUDA_MEMCPY3D_st, CUmemorytype_enum as MemoryType};
use std::{fmt, mem::offset_of, sync::Arc};

/// The memory of one side of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Host,
    Device,
}

/// One side of a copy.
#[derive(Debug, Clone, Copy)]
struct Side {
    place: Place,
    /// The first byte of the box.
    address: u64,
    /// Bytes from row to row.
    pitch: u64,
    /// Bytes from slice to slice.
    slice: u64,
}

/// A copy of a box.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    from: Side,
    to: Side,
    width: u64,
    height: u64,
    depth: u64,
    /// The source's bytes at the time of the call, where the host may change them afterwards.
    staged: Option<Vec<u8>>,
}

/// Device memory to be filled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fill {
    pub(crate) address: u64,
    pub(crate) pitch: u64,
    pub(crate) value: u32,
    pub(crate) element_bytes: u64,
    /// Elements of a row.
    pub(crate) width: u64,
    pub(crate) height: u64,
}

impl Side {
    fn line(place: Place, address: u64) -> Side {
        Side { place, address, pitch: 0, slice: 0 }
    }
}

impl Region {
    fn line(from: Side, to: Side, bytes: u64) -> Region {
        Region { from, to, width: bytes, height: 1, depth: 1, staged: None }
    }

    fn bytes(&self) -> u64 {
        self.width * self.height * self.depth
    }

    /// Extent of a side in bytes.
    fn extent(&self, side: &Side) -> Option<u64> {
        if self.width == 0 || self.height == 0 || self.depth == 0 {
            return Some(0);
        }
        let slices = side.slice.checked_mul(self.depth - 1)?;
        let rows = side.pitch.checked_mul(self.height - 1)?;
        slices.checked_add(rows)?.checked_add(self.width)
    }

    /// Refuses memory that is not where the call says.
    pub(crate) fn check(&self, allocations: &Allocations) -> Answer {
        let fits = |side: &Side| {
            let extent = self.extent(side)?;
            match side.place {
                Place::Device => allocations.part(side.address, extent).map(|_| ()),
                Place::Host => (!allocations.is_device(side.address)).then_some(()),
            }
        };
        let all = [&self.from, &self.to].into_iter().all(|side| fits(side).is_some());
        if all { Ok(()) } else { Err(Code::CUDA_ERROR_INVALID_VALUE) }
    }

    pub(crate) fn run(&self, allocations: &mut Allocations) -> Answer {
        self.check(allocations).map_err(|_| Code::CUDA_ERROR_ILLEGAL_ADDRESS)?;
        for z in 0..self.depth {
            for y in 0..self.height {
                let offset = |side: &Side| z * side.slice + y * side.pitch;
                self.run_row(allocations, offset(&self.from), offset(&self.to))?;
            }
        }
        Ok(())
    }

    fn run_row(&self, allocations: &mut Allocations, from: u64, to: u64) -> Answer {
        let lost = Code::CUDA_ERROR_ILLEGAL_ADDRESS;
        let bytes = self.width as usize;
        let (source, target) = (self.from.address + from, self.to.address + to);
        let part = |address| allocations.part(address, self.width).ok_or(lost);
        let moved = match (self.from.place, self.to.place) {
            (Place::Device, Place::Device) => {
                let (source, target) = (part(source)?, part(target)?);
                allocations.memory.copy_part(source, target, bytes)
            }
            (Place::Device, Place::Host) => {
                let (buffer, offset) = part(source)?;
                let target = host_bytes_mut(target as usize, bytes);
                allocations.memory.read(buffer, offset, target)
            }
            (Place::Host, Place::Device) => {
                let (buffer, offset) = part(target)?;
                let source = match &self.staged {
                    Some(staged) => &staged[from as usize..][..bytes],
                    None => host_bytes(source as usize, bytes),
                };
                allocations.memory.write(buffer, offset, source)
            }
            (Place::Host, Place::Host) => {
                let row = host_bytes(source as usize, bytes).to_vec();
                host_bytes_mut(target as usize, bytes).copy_from_slice(&row);
                Ok(())
            }
        };
        moved.map_err(|_| lost)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |side: &Side| match side.place {
            Place::Host => "host",
            Place::Device => "device",
        };
        write!(f, "copy {} to {} {} bytes", place(&self.from), place(&self.to), self.bytes())
    }
}

impl Fill {
    pub(crate) fn check(&self, allocations: &Allocations) -> Answer {
        let fits = || {
            let row = self.width.checked_mul(self.element_bytes)?;
            let rows = self.pitch.checked_mul(self.height.saturating_sub(1))?;
            let extent = if self.height == 0 { 0 } else { rows.checked_add(row)? };
            allocations.part(self.address, extent)
        };
        let sound = matches!(self.element_bytes, 1 | 2 | 4)
            && self.address.is_multiple_of(self.element_bytes)
            && fits().is_some();
        if sound { Ok(()) } else { Err(Code::CUDA_ERROR_INVALID_VALUE) }
    }

    pub(crate) fn run(&self, allocations: &mut Allocations) -> Answer {
        let lost = Code::CUDA_ERROR_ILLEGAL_ADDRESS;
        self.check(allocations).map_err(|_| lost)?;
        let element = &self.value.to_le_bytes()[..self.element_bytes as usize];
        let row = element.repeat(self.width as usize);
        for y in 0..self.height {
            let address = self.address + y * self.pitch;
            let (buffer, offset) = allocations.part(address, row.len() as u64).ok_or(lost)?;
            allocations.memory.write(buffer, offset, &row).map_err(|_| lost)?;
        }
        Ok(())
    }
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.width * self.height * self.element_bytes;
        write!(f, "fill device {bytes} bytes")
    }
}

impl Driver {
    /// Enqueues a copy. Data that the host may change after the call is read now.
    fn copy(&mut self, stream: Handle, mut region: Region) -> Answer {
        region.check(&self.allocations)?;
        let (address, extent) = (region.from.address as usize, region.extent(&region.from));
        let late = self.config.defers() && self.capture_of(stream)?.is_none();
        if late && region.from.place == Place::Host && !self.allocations.is_pinned(address) {
            let bytes = extent.expect("checked above") as usize;
            region.staged = Some(host_bytes(address, bytes).to_vec());
        }
        self.submit(stream, Operation::Copy(Arc::new(region)))
    }

    fn fill(&mut self, stream: Handle, fill: Fill) -> Answer {
        fill.check(&self.allocations)?;
        self.submit(stream, Operation::Fill(fill))
    }

    fn side_at(&self, address: u64) -> Side {
        let device = self.allocations.is_device(address);
        Side::line(if device { Place::Device } else { Place::Host }, address)
    }

    /// Reads the structure of a copy of a box.
    pub(crate) fn region(&self, description: In<CUDA_MEMCPY3D_st>) -> Answer<Region> {
        let word = |offset: usize| description.cast::<u64>().at(offset / size_of::<u64>());
        let kind = |offset: usize| description.cast::<u32>().at(offset / size_of::<u32>());
        macro_rules! field {
            ($field:ident) => {
                word(offset_of!(CUDA_MEMCPY3D_st, $field))?
            };
        }
        let size = [field!(WidthInBytes), field!(Height), field!(Depth)];
        let from = Corner {
            kind: kind(offset_of!(CUDA_MEMCPY3D_st, srcMemoryType))?,
            host: field!(srcHost),
            device: field!(srcDevice),
            at: [field!(srcXInBytes), field!(srcY), field!(srcZ)],
            pitch: field!(srcPitch),
            height: field!(srcHeight),
        };
        let to = Corner {
            kind: kind(offset_of!(CUDA_MEMCPY3D_st, dstMemoryType))?,
            host: field!(dstHost),
            device: field!(dstDevice),
            at: [field!(dstXInBytes), field!(dstY), field!(dstZ)],
            pitch: field!(dstPitch),
            height: field!(dstHeight),
        };
        self.region_of(&from, &to, size)
    }

    /// Reads the structure of a copy of a plane.
    fn plane(&self, description: In<CUDA_MEMCPY2D_st>) -> Answer<Region> {
        let word = |offset: usize| description.cast::<u64>().at(offset / size_of::<u64>());
        let kind = |offset: usize| description.cast::<u32>().at(offset / size_of::<u32>());
        macro_rules! field {
            ($field:ident) => {
                word(offset_of!(CUDA_MEMCPY2D_st, $field))?
            };
        }
        let size = [field!(WidthInBytes), field!(Height), 1];
        let from = Corner {
            kind: kind(offset_of!(CUDA_MEMCPY2D_st, srcMemoryType))?,
            host: field!(srcHost),
            device: field!(srcDevice),
            at: [field!(srcXInBytes), field!(srcY), 0],
            pitch: field!(srcPitch),
            height: 0,
        };
        let to = Corner {
            kind: kind(offset_of!(CUDA_MEMCPY2D_st, dstMemoryType))?,
            host: field!(dstHost),
            device: field!(dstDevice),
            at: [field!(dstXInBytes), field!(dstY), 0],
            pitch: field!(dstPitch),
            height: 0,
        };
        self.region_of(&from, &to, size)
    }

    fn region_of(&self, from: &Corner, to: &Corner, size: [u64; 3]) -> Answer<Region> {
        let [width, height, depth] = size;
        let side = |corner: &Corner| corner.side(size, |address| self.side_at(address).place);
        let (from, to) = (side(from)?, side(to)?);
        let region = Region { from, to, width, height, depth, staged: None };
        region.check(&self.allocations)?;
        Ok(region)
    }
}

/// One side of a copy as CUDA's structures have it.
struct Corner {
    kind: u32,
    host: u64,
    device: u64,
    /// The box's first byte, row and slice.
    at: [u64; 3],
    pitch: u64,
    /// Rows of a slice.
    height: u64,
}

impl Corner {
    fn side(&self, size: [u64; 3], place_of: impl Fn(u64) -> Place) -> Answer<Side> {
        let is = |kind: MemoryType| self.kind == kind as u32;
        let (place, start) = if is(MemoryType::CU_MEMORYTYPE_HOST) {
            (Place::Host, self.host)
        } else if is(MemoryType::CU_MEMORYTYPE_DEVICE) {
            (Place::Device, self.device)
        } else if is(MemoryType::CU_MEMORYTYPE_UNIFIED) {
            (place_of(self.device), self.device)
        } else {
            return Err(Code::CUDA_ERROR_INVALID_VALUE);
        };
        let ([width, height, depth], [x, y, z]) = (size, self.at);
        // Rows and slices must not overlap; the pitch of a single one is ignored.
        let rows = height > 1 || depth > 1 || y > 0 || z > 0;
        let slices = depth > 1 || z > 0;
        let narrow = rows && self.pitch < x.saturating_add(width);
        let low = slices && self.height < y.saturating_add(height);
        let first = || {
            let slice = self.pitch.checked_mul(self.height)?;
            let row = y.checked_mul(self.pitch)?;
            let first = z.checked_mul(slice)?.checked_add(row)?.checked_add(x)?;
            Some((start.checked_add(first)?, slice))
        };
        match first() {
            Some((address, slice)) if !narrow && !low => {
                Ok(Side { place, address, pitch: self.pitch, slice })
            }
            _ => Err(Code::CUDA_ERROR_INVALID_VALUE),
        }
    }
}

/// A copy; `waits` says how far the host waits for it.
fn copy(waits: Waits, stream: Handle, region: impl FnOnce(&Driver) -> Answer<Region>) -> Answer {
    in_context(Waits::Never, |driver, _| {
        if waits != Waits::Never {
            driver.forbid_while_capturing()?;
        }
        let region = region(driver)?;
        driver.copy(stream, region)?;
        match waits {
            // The host's bytes have been read, which is all it waits for.
            Waits::Perhaps if driver.config.defers() => Ok(()),
            _ => driver.catch_up(waits),
        }
    })
}

/// The default stream.
const LEGACY: Handle = 0;

fn fill(stream: Handle, fill: Fill) -> Answer {
    in_context(Waits::Never, |driver, _| driver.fill(stream, fill))
}

fn line(address: u64, value: u32, element_bytes: u64, count: usize) -> Fill {
    Fill { address, pitch: 0, value, element_bytes, width: count as u64, height: 1 }
}

fn upload(to: u64, from: In<u8>, bytes: usize) -> Region {
    let from = Side::line(Place::Host, from.address() as u64);
    Region::line(from, Side::line(Place::Device, to), bytes as u64)
}

fn download(to: Out<u8>, from: u64, bytes: usize) -> Region {
    let to = Side::line(Place::Host, to.address() as u64);
    Region::line(Side::line(Place::Device, from), to, bytes as u64)
}

fn inside(to: u64, from: u64, bytes: usize) -> Region {
    let side = |address| Side::line(Place::Device, address);
    Region::line(side(from), side(to), bytes as u64)
}

/// Enqueues a copy from device memory to device memory.
pub(crate) fn copy_inside(
    driver: &mut Driver,
    stream: Handle,
    (to, from): (u64, u64),
    bytes: usize,
) -> Answer {
    driver.copy(stream, inside(to, from, bytes))
}

fn anywhere(driver: &Driver, to: u64, from: u64, bytes: usize) -> Region {
    Region::line(driver.side_at(from), driver.side_at(to), bytes as u64)
}

export! {
    /// Copies from the host.
    fn cuMemcpyHtoD_v2(to: u64, from: In<u8>, bytes: usize) {
        copy(Waits::Perhaps, LEGACY, |_| Ok(upload(to, from, bytes)))
    }

    /// Copies from the host, in the order of a stream.
    fn cuMemcpyHtoDAsync_v2(to: u64, from: In<u8>, bytes: usize, stream: Handle) {
        copy(Waits::Never, stream, |_| Ok(upload(to, from, bytes)))
    }

    /// Copies to the host.
    fn cuMemcpyDtoH_v2(to: Out<u8>, from: u64, bytes: usize) {
        copy(Waits::Always, LEGACY, |_| Ok(download(to, from, bytes)))
    }

    /// Copies to the host, in the order of a stream.
    fn cuMemcpyDtoHAsync_v2(to: Out<u8>, from: u64, bytes: usize, stream: Handle) {
        copy(Waits::Never, stream, |_| Ok(download(to, from, bytes)))
    }

    /// Copies on the device; the host does not wait.
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        copy(Waits::Never, LEGACY, |_| Ok(inside(to, from, bytes)))
    }

    /// Copies on the device, in the order of a stream.
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) {
        copy(Waits::Never, stream, |_| Ok(inside(to, from, bytes)))
    }

    /// Copies between places that the addresses determine.
    fn cuMemcpy(to: u64, from: u64, bytes: usize) {
        copy(Waits::Always, LEGACY, |driver| Ok(anywhere(driver, to, from, bytes)))
    }

    /// Copies between places that the addresses determine, in the order of a stream.
    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle) {
        copy(Waits::Never, stream, |driver| Ok(anywhere(driver, to, from, bytes)))
    }

    /// Copies a plane.
    fn cuMemcpy2D_v2(description: In<CUDA_MEMCPY2D_st>) {
        copy(Waits::Always, LEGACY, |driver| driver.plane(description))
    }

    /// Copies a plane, whatever its pitch.
    fn cuMemcpy2DUnaligned_v2(description: In<CUDA_MEMCPY2D_st>) {
        copy(Waits::Always, LEGACY, |driver| driver.plane(description))
    }

    /// Copies a plane, in the order of a stream.
    fn cuMemcpy2DAsync_v2(description: In<CUDA_MEMCPY2D_st>, stream: Handle) {
        copy(Waits::Never, stream, |driver| driver.plane(description))
    }

    /// Copies a box.
    fn cuMemcpy3D_v2(description: In<CUDA_MEMCPY3D_st>) {
        copy(Waits::Always, LEGACY, |driver| driver.region(description))
    }

    /// Copies a box, in the order of a stream.
    fn cuMemcpy3DAsync_v2(description: In<CUDA_MEMCPY3D_st>, stream: Handle) {
        copy(Waits::Never, stream, |driver| driver.region(description))
    }

    /// Fills with a byte; the host does not wait.
    fn cuMemsetD8_v2(address: u64, value: u8, count: usize) {
        fill(LEGACY, line(address, value.into(), 1, count))
    }

    /// Fills with a byte, in the order of a stream.
    fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: Handle) {
        fill(stream, line(address, value.into(), 1, count))
    }

    /// Fills with a 16-bit word.
    fn cuMemsetD16_v2(address: u64, value: u16, count: usize) {
        fill(LEGACY, line(address, value.into(), 2, count))
    }

    /// Fills with a 16-bit word, in the order of a stream.
    fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: Handle) {
        fill(stream, line(address, value.into(), 2, count))
    }

    /// Fills with a 32-bit word.
    fn cuMemsetD32_v2(address: u64, value: u32, count: usize) {
        fill(LEGACY, line(address, value, 4, count))
    }

    /// Fills with a 32-bit word, in the order of a stream.
    fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: Handle) {
        fill(stream, line(address, value, 4, count))
    }
}
