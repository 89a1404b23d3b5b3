//! Finding and linking libdevice, CUDA's library of elementary functions.

use super::PtxError;
use inkwell::{memory_buffer::MemoryBuffer, module::Linkage, module::Module};
use std::path::PathBuf;
use stencil_model::toolkit;

/// Links libdevice if kernels call it; returns whether they do.
pub(super) fn link_into(kernels: &Module) -> Result<bool, PtxError> {
    let called = kernels
        .get_functions()
        .filter(|function| function.count_basic_blocks() == 0)
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("__nv_"))
        .collect::<Vec<_>>();
    if called.is_empty() {
        return Ok(false);
    }
    let Some(path) = find() else {
        return Err(PtxError::NoLibdevice { functions: called.join(", ") });
    };
    let failed = |error: String| PtxError::Llvm(format!("{}: {error}", path.display()));
    let buffer =
        MemoryBuffer::create_from_file(&path).map_err(|error| failed(error.to_string()))?;
    let library = Module::parse_bitcode_from_buffer(&buffer, kernels.get_context())
        .map_err(|error| failed(error.to_string()))?;
    library.set_triple(&kernels.get_triple());
    library.set_data_layout(&kernels.get_data_layout());
    let provided = library
        .get_functions()
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .collect::<Vec<_>>();
    kernels.link_in_module(library).map_err(|error| failed(error.to_string()))?;
    for name in provided {
        if let Some(function) = kernels.get_function(&name).filter(|f| f.count_basic_blocks() > 0) {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(true)
}

/// `libdevice.10.bc`: what `STENCIL_LIBDEVICE` names; else that of the toolkit or package that has
/// ptxas, or of another toolkit.
pub fn find() -> Option<PathBuf> {
    const FILE: &str = "nvvm/libdevice/libdevice.10.bc";
    toolkit::named("STENCIL_LIBDEVICE").or_else(|| {
        let beside = super::ptxas::find();
        let beside = beside.and_then(|ptxas| Some(ptxas.parent()?.parent()?.to_owned()));
        let roots = beside.into_iter().chain(toolkit::homes());
        roots.map(|root| root.join(FILE)).find(|path| path.is_file())
    })
}
