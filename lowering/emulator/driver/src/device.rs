//! The driver itself and its devices: versions, names, limits.

use crate::{
    boundary::{Answer, Code, Out, export},
    code::Library,
    config::Config,
    state::{Driver, initialized, with},
};
use cudarc::driver::sys::{CUdevice_attribute_enum as Attribute, CUuuid};
use std::ffi::c_char;
use stencil_emulator::Machine;
use stencil_model::{
    product::{PRODUCTS, Product},
    target::Architecture,
};

/// The properties of all emulated devices.
pub(crate) struct Device {
    pub(crate) architecture: &'static Architecture,
    /// A chip of that capability, for numbers that the architecture does not fix.
    product: Option<&'static Product>,
    /// Whether it is that chip, by name and memory.
    is_chip: bool,
}

impl Device {
    /// The configured target or chip, else the target of the first package, else the first known
    /// chip.
    pub(crate) fn new(config: &Config, library: &Library) -> Device {
        let of_package = || Architecture::parse(library.target()?).ok();
        let of_chip = || config.chip.map(Product::limits);
        let configured = config.target.or_else(of_chip).or_else(of_package);
        let architecture = configured.unwrap_or_else(|| PRODUCTS[0].limits());
        let same = |product: &&Product| product.limits().capability == architecture.capability;
        let product = config.chip.or_else(|| PRODUCTS.iter().find(same));
        Device { architecture, product, is_chip: config.chip.is_some() }
    }

    pub(crate) fn name(&self) -> String {
        match self.product {
            Some(product) if self.is_chip => product.name().to_owned(),
            _ => format!("emulated {}", self.architecture.name),
        }
    }

    pub(crate) fn machine(&self) -> Machine {
        Machine {
            warp_lanes: self.architecture.threads_per_warp,
            threads_max_per_block: self.architecture.threads_max_per_block,
            shared_bytes_max_per_block: self.architecture.shared_bytes_max_per_block,
        }
    }

    /// The clock of the memory, with two transfers in each; 0 where it is no chip.
    fn memory_kilohertz(&self) -> i64 {
        let product = self.product.filter(|_| self.is_chip);
        let bandwidth = product.map_or(0, |product| product.sheet.bandwidth_bytes_per_s);
        bandwidth as i64 / (2 * MEMORY_BUS_BITS / 8 * 1000)
    }

    /// The value of an attribute; `None` where unknown.
    fn attribute(&self, attribute: u32) -> Option<i64> {
        use Attribute::*;
        let known = self.architecture;
        let kilohertz = |product: &Product| (product.sheet.clock_max_hz / 1000) as i64;
        let of_product = |value: fn(&Product) -> i64| self.product.map_or(0, value);
        let table: &[(Attribute, i64)] = &[
            (CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, known.threads_max_per_block.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, known.block_max.x.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, known.block_max.y.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, known.block_max.z.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, known.grid_max.x as i64),
            (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, known.grid_max.y as i64),
            (CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, known.grid_max.z as i64),
            (
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                known.shared_bytes_max_per_block_static.into(),
            ),
            (
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                known.shared_bytes_max_per_block.into(),
            ),
            (
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
                known.shared_bytes_per_sm.into(),
            ),
            (
                CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
                known.shared_bytes_reserved_per_block.into(),
            ),
            (CU_DEVICE_ATTRIBUTE_WARP_SIZE, known.threads_per_warp.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, known.registers_max_per_block.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, known.registers_per_sm.into()),
            (CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, known.threads_max_per_sm().into()),
            (CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, known.blocks_max_per_sm.into()),
            (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, known.capability.major.into()),
            (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, known.capability.minor.into()),
            (
                CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                of_product(|p| p.sheet.multiprocessors.into()),
            ),
            (CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, of_product(|p| p.sheet.l2_bytes as i64)),
            (CU_DEVICE_ATTRIBUTE_CLOCK_RATE, self.product.map_or(0, kilohertz)),
            (CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1),
            (CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1),
            (CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1),
            (CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 1),
            (CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 0),
            (CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0),
            (CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1),
            (CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0),
            (CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 0),
            (CU_DEVICE_ATTRIBUTE_INTEGRATED, 0),
            (CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0),
            (CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0),
            (CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, self.memory_kilohertz()),
            (CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, MEMORY_BUS_BITS),
            (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, ALLOCATION_ALIGNMENT_BYTES),
            (CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0),
            (CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 0),
            (CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0),
        ];
        table.iter().find(|(known, _)| *known as u32 == attribute).map(|(_, value)| *value)
    }
}

/// Wires to the memory.
const MEMORY_BUS_BITS: i64 = 512;

/// The alignment that `cuMemAlloc` guarantees.
const ALLOCATION_ALIGNMENT_BYTES: i64 = 256;

impl Driver {
    /// Refuses an invalid device ordinal.
    pub(crate) fn check_device(&self, device: i32) -> Answer {
        match (0..self.config.devices).contains(&device) {
            true => Ok(()),
            false => Err(Code::CUDA_ERROR_INVALID_DEVICE),
        }
    }
}

fn of_device<T>(device: i32, body: impl FnOnce(&mut Driver) -> Answer<T>) -> Answer<T> {
    initialized(|driver| {
        driver.check_device(device)?;
        body(driver)
    })
}

/// An identifier, equal in every process, unique per device.
fn uuid(device: i32) -> CUuuid {
    let mut bytes = [0; 16];
    for (byte, letter) in bytes.iter_mut().zip(b"stencilemulated") {
        *byte = *letter as c_char;
    }
    bytes[15] = device as c_char;
    CUuuid { bytes }
}

export! {
    /// Must be called first; fails without a device.
    fn cuInit(flags: u32) {
        with(|driver| {
            if flags != 0 {
                return Err(Code::CUDA_ERROR_INVALID_VALUE);
            }
            if driver.config.devices < 1 {
                return Err(Code::CUDA_ERROR_NO_DEVICE);
            }
            driver.initialized = true;
            Ok(())
        })
    }

    /// The CUDA version of the driver; works before `cuInit`.
    fn cuDriverGetVersion(version: Out<i32>) {
        with(|driver| version.put(driver.config.driver_version))
    }

    /// How many devices there are.
    fn cuDeviceGetCount(count: Out<i32>) {
        initialized(|driver| count.put(driver.config.devices))
    }

    /// The device of an ordinal.
    fn cuDeviceGet(device: Out<i32>, ordinal: i32) {
        of_device(ordinal, |_| device.put(ordinal))
    }

    /// The name of a device.
    fn cuDeviceGetName(name: Out<c_char>, room: i32, device: i32) {
        of_device(device, |driver| {
            name.put_text(&driver.device.name(), usize::try_from(room).unwrap_or(0)).map(|_| ())
        })
    }

    /// A device attribute. Attributes that are not emulated are refused.
    fn cuDeviceGetAttribute(value: Out<i32>, attribute: u32, device: i32) {
        of_device(device, |driver| {
            let known = driver.device.attribute(attribute).ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
            value.put(i32::try_from(known).unwrap_or(i32::MAX))
        })
    }

    /// The memory of a device.
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32) {
        of_device(device, |driver| bytes.put(driver.config.memory_bytes))
    }

    /// The identity of a device.
    fn cuDeviceGetUuid(identity: Out<CUuuid>, device: i32) {
        of_device(device, |_| identity.put(uuid(device)))
    }

    /// The identity of a device.
    fn cuDeviceGetUuid_v2(identity: Out<CUuuid>, device: i32) {
        of_device(device, |_| identity.put(uuid(device)))
    }

    /// The PCI bus id of a device: fictitious, but unique.
    fn cuDeviceGetPCIBusId(text: Out<c_char>, room: i32, device: i32) {
        of_device(device, |_| {
            let place = format!("0000:{device:02x}:00.0");
            text.put_text(&place, usize::try_from(room).unwrap_or(0)).map(|_| ())
        })
    }
}
