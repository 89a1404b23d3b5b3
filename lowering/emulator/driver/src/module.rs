//! Modules and the functions in them.

use crate::{
    boundary::{Answer, Code, Handle, In, Out, export, read_at, write_at},
    code::{Refused, threads_max},
    config,
    state::{Driver, Waits, in_context},
};
use cudarc::driver::sys::{CUfunction_attribute_enum as Attribute, CUjit_option_enum as JitOption};
use std::{ffi::c_char, sync::Arc};
use stencil_emulator::{KernelInfo, ParameterKind, Program};
use stencil_model::occupancy::{BlockDemand, occupancy};

/// Loaded code.
pub(crate) struct Module {
    pub(crate) context: Handle,
    program: Arc<Program>,
    ptx: String,
    /// As a function attribute: `90`.
    architecture: u32,
}

/// A kernel that was looked up.
pub(crate) struct Function {
    pub(crate) context: Handle,
    module: Handle,
    pub(crate) program: Arc<Program>,
    pub(crate) kernel: KernelInfo,
    pub(crate) threads_max: u64,
    /// Maximum dynamic shared memory of a launch.
    pub(crate) dynamic_shared_bytes_max: u32,
    architecture: u32,
}

/// Magic numbers of images that are not PTX: a cubin, a fat binary.
const ELF: [u8; 4] = *b"\x7fELF";
const FAT_BINARY: [u8; 4] = [0x50, 0xED, 0x55, 0xBA];

impl Driver {
    fn load_module(&mut self, context: Handle, image: In<c_char>) -> Result<Handle, Refused> {
        let plain = |code| Refused(code, String::new());
        self.forbid_while_capturing().map_err(plain)?;
        let text = image.text().map_err(plain)?.to_bytes();
        if text.starts_with(&ELF) || text.starts_with(&FAT_BINARY) {
            let why = "machine code is not emulated, PTX is";
            return Err(Refused(Code::CUDA_ERROR_NO_BINARY_FOR_GPU, why.to_owned()));
        }
        let ptx = std::str::from_utf8(text)
            .map_err(|_| Refused(Code::CUDA_ERROR_INVALID_PTX, "the PTX is no text".to_owned()))?;
        if !self.library.holds(ptx) {
            self.library.add_packages(&config::packages());
        }
        let loaded = self.library.load(ptx, &self.device, self.config.driver_version)?;
        let handle = self.new_handle();
        let count = loaded.program.kernels().count();
        self.log.line(format_args!("load module with {count} kernels"));
        let (program, architecture) = (loaded.program, loaded.header.number());
        let module = Module { context, program, ptx: ptx.to_owned(), architecture };
        self.modules.insert(handle, module);
        Ok(handle)
    }

    fn find_function(&mut self, module: Handle, name: &str) -> Answer<Handle> {
        let same = |known: &Function| known.module == module && known.kernel.name == name;
        if let Some((known, _)) = self.functions.iter().find(|(_, known)| same(known)) {
            return Ok(known);
        }
        let of = self.modules.get(module)?;
        let kernel = of.program.kernels().find(|kernel| kernel.name == name);
        let kernel = kernel.ok_or(Code::CUDA_ERROR_NOT_FOUND)?;
        let limits = self.device.architecture;
        let static_bytes = kernel.static_shared_bytes as u32;
        let without_asking = limits.shared_bytes_max_per_block_static;
        let function = Function {
            context: of.context,
            module,
            program: Arc::clone(&of.program),
            threads_max: threads_max(&of.ptx, name).unwrap_or(limits.threads_max_per_block.into()),
            dynamic_shared_bytes_max: without_asking.saturating_sub(static_bytes),
            architecture: of.architecture,
            kernel,
        };
        let handle = self.new_handle();
        self.functions.insert(handle, function);
        Ok(handle)
    }
}

impl Function {
    /// Offset and size of a parameter: each aligned to its size, as in PTX.
    pub(crate) fn parameter(&self, index: usize) -> Option<(usize, usize)> {
        let mut end = 0;
        for (at, kind) in self.kernel.parameters.iter().enumerate() {
            let bytes = parameter_bytes(*kind);
            let offset = usize::next_multiple_of(end, bytes.next_power_of_two());
            if at == index {
                return Some((offset, bytes));
            }
            end = offset + bytes;
        }
        None
    }

    fn attribute(&self, attribute: u32) -> Option<i32> {
        use Attribute::*;
        let table: &[(Attribute, u64)] = &[
            (CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, self.threads_max),
            (CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, self.kernel.static_shared_bytes),
            (CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 0),
            (CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0),
            (CU_FUNC_ATTRIBUTE_NUM_REGS, 0),
            (CU_FUNC_ATTRIBUTE_PTX_VERSION, self.architecture.into()),
            (CU_FUNC_ATTRIBUTE_BINARY_VERSION, self.architecture.into()),
            (CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0),
            (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, self.dynamic_shared_bytes_max.into()),
        ];
        let found = table.iter().find(|(known, _)| *known as u32 == attribute)?;
        i32::try_from(found.1).ok()
    }
}

/// The size of a parameter, as the host passes it.
pub(crate) fn parameter_bytes(kind: ParameterKind) -> usize {
    match kind {
        ParameterKind::Pointer => size_of::<u64>(),
        ParameterKind::Scalar { bytes } => bytes as usize,
    }
}

/// The options of `cuModuleLoadDataEx` for the error log; all others have no effect. Sizes are
/// passed as pointers, and replaced by what was written.
fn write_log(text: &str, options: &[u32], values: In<usize>) -> Answer {
    let find = |wanted: JitOption| options.iter().position(|option| *option == wanted as u32);
    let buffers = [
        (JitOption::CU_JIT_ERROR_LOG_BUFFER, JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, text),
        (JitOption::CU_JIT_INFO_LOG_BUFFER, JitOption::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, ""),
    ];
    for (buffer, size, text) in buffers {
        let (Some(buffer), Some(size)) = (find(buffer), find(size)) else { continue };
        // The size is an unsigned int in the lower half of the word.
        let room = values.at(size)? as u32 as usize;
        let address = values.at(buffer)?;
        if address != 0 && room > 0 {
            let written = write_at::<c_char>(address).put_text(text, room)?;
            write_at(values.address() + size * size_of::<usize>()).put(written)?;
        }
    }
    Ok(())
}

fn load(module: Out<Handle>, image: In<c_char>, options: &[u32], values: In<usize>) -> Answer {
    in_context(Waits::Never, |driver, context| match driver.load_module(context, image) {
        Ok(loaded) => {
            write_log("", options, values)?;
            module.put(loaded)
        }
        Err(Refused(code, why)) => {
            driver.log.line(format_args!("module refused: {why}"));
            write_log(&why, options, values)?;
            Err(code)
        }
    })
}

/// Resident blocks of a kernel per multiprocessor; registers are unknown, and not a limit.
fn resident(blocks: Out<i32>, function: Handle, threads: i32, dynamic_bytes: usize) -> Answer {
    in_context(Waits::Never, |driver, _| {
        let known = driver.functions.get(function)?;
        let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0);
        let shared = known.kernel.static_shared_bytes as usize + dynamic_bytes;
        let demand = BlockDemand {
            threads: threads.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?,
            registers_per_thread: 0,
            shared_bytes: u32::try_from(shared).unwrap_or(u32::MAX),
        };
        let found = occupancy(driver.device.architecture, demand).blocks;
        blocks.put(found as i32)
    })
}

export! {
    /// Loads NUL-terminated PTX.
    fn cuModuleLoadData(module: Out<Handle>, image: In<c_char>) {
        load(module, image, &[], read_at(0))
    }

    /// Loads NUL-terminated PTX; errors go into the log buffer.
    fn cuModuleLoadDataEx(
        module: Out<Handle>,
        image: In<c_char>,
        count: u32,
        options: In<u32>,
        values: In<usize>,
    ) {
        load(module, image, &options.list(count as usize)?, values)
    }

    /// Unloads a module and its functions.
    fn cuModuleUnload(module: Handle) {
        in_context(Waits::Perhaps, |driver, _| {
            driver.forbid_while_capturing()?;
            driver.modules.remove(module)?;
            driver.functions.remove_where(|function| function.module == module);
            Ok(())
        })
    }

    /// The kernel of a name.
    fn cuModuleGetFunction(function: Out<Handle>, module: Handle, name: In<c_char>) {
        in_context(Waits::Never, |driver, _| {
            let name = name.text()?.to_str().map_err(|_| Code::CUDA_ERROR_NOT_FOUND)?;
            function.put(driver.find_function(module, name)?)
        })
    }

    /// Global variables are not emulated, so none is found.
    fn cuModuleGetGlobal_v2(
        _address: Out<u64>,
        _bytes: Out<usize>,
        module: Handle,
        _name: In<c_char>,
    ) {
        in_context(Waits::Never, |driver, _| {
            driver.modules.get(module)?;
            Err(Code::CUDA_ERROR_NOT_FOUND)
        })
    }

    /// The module that a function was looked up in.
    fn cuFuncGetModule(module: Out<Handle>, function: Handle) {
        in_context(Waits::Never, |driver, _| module.put(driver.functions.get(function)?.module))
    }

    /// Offset and size of a parameter; refused past the last.
    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        in_context(Waits::Never, |driver, _| {
            let found = driver.functions.get(function)?.parameter(index);
            let (at, size) = found.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
            offset.put(at)?;
            bytes.put_if_wanted(size);
            Ok(())
        })
    }

    /// A function attribute. Registers and local memory are not emulated, and 0.
    fn cuFuncGetAttribute(value: Out<i32>, attribute: u32, function: Handle) {
        in_context(Waits::Never, |driver, _| {
            let known = driver.functions.get(function)?.attribute(attribute);
            value.put(known.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?)
        })
    }

    /// Sets the maximum of dynamic shared memory; hints have no effect.
    fn cuFuncSetAttribute(function: Handle, attribute: u32, value: i32) {
        in_context(Waits::Never, |driver, _| {
            let most = driver.device.architecture.shared_bytes_max_per_block;
            let function = driver.functions.get_mut(function)?;
            if attribute == Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT as u32 {
                return Ok(());
            }
            if attribute != Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32 {
                return Err(Code::CUDA_ERROR_INVALID_VALUE);
            }
            let left = most.saturating_sub(function.kernel.static_shared_bytes as u32);
            let asked = u32::try_from(value).ok().filter(|asked| *asked <= left);
            function.dynamic_shared_bytes_max = asked.ok_or(Code::CUDA_ERROR_INVALID_VALUE)?;
            Ok(())
        })
    }

    /// A hint without effect.
    fn cuFuncSetCacheConfig(function: Handle, _preference: u32) {
        in_context(Waits::Never, |driver, _| driver.functions.get(function).map(|_| ()))
    }

    /// Resident blocks of a kernel per multiprocessor.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>,
        function: Handle,
        threads: i32,
        dynamic_bytes: usize,
    ) {
        resident(blocks, function, threads, dynamic_bytes)
    }

    /// Resident blocks of a kernel per multiprocessor; flags have no effect.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>,
        function: Handle,
        threads: i32,
        dynamic_bytes: usize,
        _flags: u32,
    ) {
        resident(blocks, function, threads, dynamic_bytes)
    }
}
