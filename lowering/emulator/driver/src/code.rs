//! Maps PTX to the LLVM IR of a package.

use crate::{boundary::Code, device::Device};
use std::{path::PathBuf, sync::Arc};
use stencil_emulator::{CodeCache, CompileOptions, Program};
use stencil_model::target::{Architecture, PtxVersion};
use stencil_runtime::Package;

/// The code of all packages.
#[derive(Default)]
pub(crate) struct Library {
    entries: Vec<Entry>,
    /// Packages that were read, or failed to be.
    known: Vec<PathBuf>,
    /// Why packages could not be read, and where code was searched.
    remarks: Vec<String>,
    target: Option<String>,
}

/// One PTX text, with its IR.
struct Entry {
    ptx: String,
    llvm_ir: Option<String>,
    /// Compiled on first load.
    program: Option<Arc<Program>>,
}

/// Executable code for PTX.
pub(crate) struct Loaded {
    pub(crate) program: Arc<Program>,
    pub(crate) header: Header,
}

/// Why PTX is refused: the status code, and the error log.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Code, pub(crate) String);

/// The header of PTX.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Header {
    version: PtxVersion,
    pub(crate) architecture: &'static Architecture,
}

impl Library {
    /// Reads packages. An unreadable one is only remarked: a host may be tested with a package that
    /// it must refuse.
    pub(crate) fn read(paths: &[PathBuf]) -> Library {
        let mut library = Library::default();
        library.add_packages(paths);
        library
    }

    /// Reads the new packages among these. A host may compile packages while it runs.
    pub(crate) fn add_packages(&mut self, paths: &[PathBuf]) {
        for path in paths {
            if self.known.contains(path) {
                continue;
            }
            self.known.push(path.clone());
            let package = match Package::read(path) {
                Ok(package) => package,
                Err(error) => {
                    self.remarks.push(error.to_string());
                    continue;
                }
            };
            let Package { code, plain, selftest } = package;
            self.target.get_or_insert(code.manifest.target.clone());
            let parts = [Some(code), plain, selftest.map(|selftest| selftest.code)];
            let mut count = 0;
            for code in parts.into_iter().flatten() {
                self.add(code.ptx, code.llvm_ir);
                count += 1;
            }
            self.remarks.push(format!("'{}': {count} PTX texts, none is equal", path.display()));
        }
    }

    /// Whether a package holds this PTX.
    pub(crate) fn holds(&self, ptx: &str) -> bool {
        self.entries.iter().any(|entry| entry.ptx == ptx)
    }

    /// Code from PTX and IR texts instead of packages.
    #[cfg(test)]
    pub(crate) fn of_texts(texts: &[(&str, &str)]) -> Library {
        let mut library = Library::default();
        for (ptx, llvm_ir) in texts {
            let llvm_ir = (!llvm_ir.is_empty()).then(|| (*llvm_ir).to_owned());
            library.add((*ptx).to_owned(), llvm_ir);
        }
        library
    }

    fn add(&mut self, ptx: String, llvm_ir: Option<String>) {
        self.entries.push(Entry { ptx, llvm_ir, program: None });
    }

    /// The target of the first package.
    pub(crate) fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// The code for this PTX, on a driver of this version.
    pub(crate) fn load(
        &mut self,
        ptx: &str,
        device: &Device,
        driver_version: i32,
    ) -> Result<Loaded, Refused> {
        let header = Header::read(ptx)?;
        header.check(device, driver_version)?;
        let invalid = |why: String| Refused(Code::CUDA_ERROR_INVALID_PTX, why);
        // Parts may have equal PTX, and packages may have no IR.
        let same = self.entries.iter_mut().filter(|entry| entry.ptx == ptx);
        let Some(entry) = same.min_by_key(|entry| entry.llvm_ir.is_none()) else {
            let looked = match self.remarks.as_slice() {
                [] => "STENCIL_EMULATED_PACKAGES names no package".to_owned(),
                all => all.join("; "),
            };
            return Err(invalid(format!("PTX of {} bytes is in no package: {looked}", ptx.len())));
        };
        if let Some(program) = &entry.program {
            return Ok(Loaded { program: Arc::clone(program), header });
        }
        let Some(llvm_ir) = &entry.llvm_ir else {
            return Err(invalid(
                "the package holds this PTX without LLVM IR; compile it with --keep-ir".to_owned(),
            ));
        };
        let code_cache = CodeCache::of_environment();
        let options = CompileOptions { code_cache, ..CompileOptions::new(device.machine()) };
        let compiled = Program::compile(llvm_ir, &options);
        let program = Arc::new(compiled.map_err(|error| invalid(error.to_string()))?);
        entry.program = Some(Arc::clone(&program));
        Ok(Loaded { program, header })
    }
}

impl Header {
    /// Reads `.version` and `.target`.
    fn read(ptx: &str) -> Result<Header, Refused> {
        let invalid = |why: String| Refused(Code::CUDA_ERROR_INVALID_PTX, why);
        let directive = |name: &str| {
            let mut lines = ptx.lines().map(str::trim);
            let value = lines.find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
            value.ok_or_else(|| invalid(format!("PTX without '{name}'")))
        };
        let version = PtxVersion::parse(directive(".version")?);
        let target = directive(".target")?.trim_end_matches(',');
        let architecture = Architecture::parse(target);
        Ok(Header {
            version: version.map_err(|error| invalid(error.to_string()))?,
            architecture: architecture.map_err(|error| invalid(error.to_string()))?,
        })
    }

    fn check(&self, device: &Device, driver_version: i32) -> Result<(), Refused> {
        let Header { version, architecture } = self;
        let needed = cuda_version_of(*version);
        if needed > driver_version {
            let why = format!("PTX {version} needs a driver of CUDA version {needed} or later");
            return Err(Refused(Code::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, why));
        }
        let capability = device.architecture.capability;
        if !architecture.runs_on(capability) {
            let name = architecture.name;
            let why = format!("PTX for {name} does not run on compute capability {capability}");
            return Err(Refused(Code::CUDA_ERROR_INVALID_PTX, why));
        }
        Ok(())
    }

    /// The architecture as `cuFuncGetAttribute` has it: `90`.
    pub(crate) fn number(&self) -> u32 {
        let capability = self.architecture.capability;
        capability.major * 10 + capability.minor
    }
}

/// The CUDA version that introduced a version of PTX. Source: "PTX ISA Version History" of the PTX
/// manual; in PTX 8 the minor numbers differ by one after 8.5.
fn cuda_version_of(version: PtxVersion) -> i32 {
    let PtxVersion { major, minor } = version;
    let (cuda_major, cuda_minor) = match (major, minor) {
        (8, 6..) => (12, minor + 1),
        _ => (major + 4, minor),
    };
    i32::try_from(1000 * cuda_major + 10 * cuda_minor).unwrap_or(i32::MAX)
}

/// The largest block that a kernel of a PTX text may be launched with, by `.maxntid`.
pub(crate) fn threads_max(ptx: &str, kernel: &str) -> Option<u64> {
    let mut starts = ptx.match_indices(".entry ").map(|(at, word)| &ptx[at + word.len()..]);
    let entry =
        starts.find_map(|rest| rest.strip_prefix(kernel)?.trim_start().strip_prefix('('))?;
    let head = &entry[..entry.find('{')?];
    let (_, bounds) = head.split_once(".maxntid")?;
    let bounds = bounds.lines().next().unwrap_or_default();
    bounds.split(',').map(|bound| bound.trim().parse::<u64>().ok()).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_ptx_are_those_of_cuda() {
        let of = |major, minor| cuda_version_of(PtxVersion { major, minor });
        assert_eq!((of(7, 4), of(8, 0), of(8, 5)), (11_040, 12_000, 12_050));
        assert_eq!((of(8, 6), of(8, 8), of(9, 0)), (12_070, 12_090, 13_000));
    }

    #[test]
    fn headers_are_read() {
        let header = Header::read("//\n.version 8.0\n.target sm_90a\n.address_size 64\n").unwrap();
        assert_eq!(header.version, PtxVersion { major: 8, minor: 0 });
        assert_eq!((header.architecture.name, header.number()), ("sm_90a", 90));
        let Refused(code, why) = Header::read(".target sm_90\n").unwrap_err();
        assert_eq!((code, why.as_str()), (Code::CUDA_ERROR_INVALID_PTX, "PTX without '.version'"));
    }

    #[test]
    fn bounds_of_blocks_are_read_for_their_own_kernel() {
        let ptx = ".visible .entry ab(\n.param .u64 p\n)\n.maxntid 64, 2, 1\n{\n}\n\
                   .visible .entry a(\n)\n{\n}\n.visible .entry c()\n.maxntid 7\n{}";
        assert_eq!(threads_max(ptx, "ab"), Some(128));
        assert_eq!(threads_max(ptx, "a"), None);
        assert_eq!(threads_max(ptx, "c"), Some(7));
        assert_eq!(threads_max(ptx, "b"), None);
    }
}
