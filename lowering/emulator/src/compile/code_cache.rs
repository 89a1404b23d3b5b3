//! Machine code that an earlier compilation of the same module has left in a folder.
//!
//! Emitting code takes most of the time that compiling a checked kernel takes, and tests compile
//! the same kernels in run after run. The key of a module is all that the code depends on: its
//! bitcode, in which checks are already, the passes, the level, the host's triple and features, and
//! the version of LLVM. An entry begins with the digest of the rest, so that a damaged one is
//! compiled anew; one that cannot be written is left out.

use inkwell::module::Module;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

/// The variable that names the folder of [`CodeCache::of_environment`].
const FOLDER_VARIABLE: &str = "STENCIL_EMULATOR_CACHE";
const DIGEST_BYTES: usize = 32;

/// A folder with machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeCache {
    folder: PathBuf,
}

impl CodeCache {
    /// In a folder, which is made when it is first written to.
    pub fn in_folder(folder: impl Into<PathBuf>) -> CodeCache {
        CodeCache { folder: folder.into() }
    }

    /// In the folder that `STENCIL_EMULATOR_CACHE` names; none where it is not set.
    pub fn of_environment() -> Option<CodeCache> {
        let folder = std::env::var_os(FOLDER_VARIABLE)?;
        (!folder.is_empty()).then(|| CodeCache::in_folder(folder))
    }

    /// The entry of a module that is compiled in this way.
    pub(super) fn entry(&self, module: &Module<'_>, way: &str) -> Entry {
        let (major, minor, patch) = inkwell::support::get_llvm_version();
        let mut hash = Sha256::new();
        hash.update(format!("LLVM {major}.{minor}.{patch}\n{way}\n"));
        hash.update(module.write_bitcode_to_memory().as_slice());
        Entry { file: self.folder.join(format!("{:x}.o", hash.finalize())) }
    }
}

/// Where the machine code of one module is.
pub(super) struct Entry {
    file: PathBuf,
}

impl Entry {
    /// The code, if it is there and whole.
    pub(super) fn read(&self) -> Option<Vec<u8>> {
        let bytes = fs::read(&self.file).ok()?;
        let (digest, code) = bytes.split_at_checked(DIGEST_BYTES)?;
        if Sha256::digest(code)[..] != *digest {
            return None;
        }
        // Who removes old entries sees that this one is needed.
        let touched = File::options().append(true).open(&self.file);
        touched.and_then(|file| file.set_modified(SystemTime::now())).ok();
        Some(code.to_vec())
    }

    /// Leaves the code for others: whole, or not at all.
    pub(super) fn write(&self, code: &[u8]) {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let Some(folder) = self.file.parent() else { return };
        let own = (std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
        let part = self.file.with_extension(format!("{}-{}", own.0, own.1));
        let bytes = [&Sha256::digest(code)[..], code].concat();
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&part, bytes));
        if written.and_then(|()| fs::rename(&part, &self.file)).is_err() {
            fs::remove_file(&part).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::{CompileOptions, Machine};
    use super::*;
    use crate::memory::Memory;
    use crate::program::{Argument, Launch, LaunchOptions, Program};

    const KERNEL: &str = "
        target triple = \"nvptx64-nvidia-cuda\"
        define ptx_kernel void @f(ptr addrspace(1) %p) {
          store i32 NUMBER, ptr addrspace(1) %p, align 4
          ret void
        }";

    /// What a kernel stores that is compiled with the folder.
    fn stored(number: i32, cache: &CodeCache) -> i32 {
        let machine = Machine {
            warp_lanes: 32,
            threads_max_per_block: 1024,
            shared_bytes_max_per_block: 48 << 10,
        };
        let code_cache = Some(cache.clone());
        let options = CompileOptions { code_cache, ..CompileOptions::new(machine) };
        let text = KERNEL.replace("NUMBER", &number.to_string());
        let program = Program::compile(&text, &options).unwrap();
        let mut memory = Memory::new();
        let buffer = memory.allocate(4).unwrap();
        let launch = Launch {
            kernel: "f",
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared_bytes: 0,
            arguments: &[Argument::Buffer(buffer)],
        };
        program.launch(&mut memory, &launch, &LaunchOptions::default()).unwrap();
        i32::from_le_bytes(memory.contents(buffer).unwrap().try_into().unwrap())
    }

    fn entries(cache: &CodeCache) -> Vec<PathBuf> {
        fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn code_of_the_same_module_is_read_and_that_of_others_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CodeCache::in_folder(folder.path().join("made"));
        assert_eq!((stored(5, &cache), entries(&cache).len()), (5, 1));
        let [five] = &entries(&cache)[..] else { panic!("one entry") };
        assert_eq!((stored(7, &cache), entries(&cache).len()), (7, 2));
        let seven = entries(&cache).into_iter().find(|entry| entry != five).unwrap();
        // With the other one's code in its place, a module does what the other one says.
        fs::copy(seven, five).unwrap();
        assert_eq!((stored(5, &cache), entries(&cache).len()), (7, 2));
    }

    #[test]
    fn a_damaged_entry_is_compiled_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = CodeCache::in_folder(folder.path());
        stored(5, &cache);
        let [file] = &entries(&cache)[..] else { panic!("one entry") };
        let whole = fs::read(file).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        for content in [&whole[..whole.len() / 2], &[], &damaged] {
            fs::write(file, content).unwrap();
            assert_eq!(stored(5, &cache), 5);
            assert_eq!(fs::read(file).unwrap(), whole);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_done_without() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(stored(5, &CodeCache::in_folder(file.path().join("below"))), 5);
    }
}
