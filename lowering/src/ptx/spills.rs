//! Kernels whose spills go to shared memory: a PTX directive that LLVM does not support.
//!
//! The request is an attribute of the kernel's function at all levels. In PTX it is `.pragma
//! "enable_smem_spilling"` at the start of the kernel's body.

use super::PtxError;
use inkwell::{attributes::AttributeLoc, module::Module};
use melior::ir::{OperationRef, operation::OperationLike};
use stencil_model::target::PtxVersion;

/// Attribute of a function in the LLVM dialect and in LLVM IR: where spills go.
pub const ATTRIBUTE: &str = "stencil-spills";

/// PTX ISA, "Pragma Strings": introduced in 8.7. Probe: `ptxas` 13.0.88 refuses it in 8.6.
pub const VERSION_LEAST: PtxVersion = PtxVersion { major: 8, minor: 7 };

/// The directive.
const PRAGMA: &str = "\t.pragma \"enable_smem_spilling\";\n";

/// LLVM's name of dynamic shared memory. Probe: `ptxas` 13.0.88 refuses the directive together with
/// it.
const DYNAMIC: &str = "__dynamic_shmem__";

/// Whether a kernel has the attribute.
pub fn asks(kernel: OperationRef) -> bool {
    let wishes = kernel.attribute("passthrough").ok();
    wishes.is_some_and(|wishes| wishes.to_string().contains(ATTRIBUTE))
}

/// Writes the directive into the PTX of the kernels with the attribute.
///
/// # Errors
/// A version of PTX without the directive, or dynamic shared memory.
pub(super) fn direct(
    kernels: &Module,
    ptx: String,
    version: PtxVersion,
) -> Result<String, PtxError> {
    let wishes = kernels.get_functions().filter(|function| {
        function.get_string_attribute(AttributeLoc::Function, ATTRIBUTE).is_some()
    });
    let mut ptx = ptx;
    for kernel in wishes {
        if version < VERSION_LEAST {
            let (least, asked) = (VERSION_LEAST.to_string(), version.to_string());
            return Err(PtxError::SharedSpills { asked, least });
        }
        let name = kernel.get_name().to_string_lossy().into_owned();
        let entry = ptx.find(&format!(".entry {name}("));
        let at = entry.and_then(|entry| Some(entry + ptx[entry..].find("\n{\n")? + 3));
        let at = at.expect("a kernel has a body in PTX");
        let body = &ptx[at..];
        if body[..body.find("\n}\n").unwrap_or(body.len())].contains(DYNAMIC) {
            return Err(PtxError::SharedSpillsBesideDynamic { kernel: name });
        }
        ptx.insert_str(at, PRAGMA);
    }
    Ok(ptx)
}
