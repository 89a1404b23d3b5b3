//! Entries that one process writes and a later one finds, in a folder of the user's.
//!
//! An entry is one file, named by the SHA-256 of all that its content follows from: a line of JSON,
//! then bytes. It is written beside its place and moved there, so that it is whole or absent; its
//! line has the digest of the bytes, and what is damaged is as good as absent. What cannot be
//! written is not kept, without a message: a cache may only save time. Entries that were not used
//! for longest go where the folder grows beyond its limit.

pub(crate) mod kernels;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::{
    env, fs, io,
    io::Write,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Names the folder; empty: nothing is kept.
const FOLDER_VARIABLE: &str = "STENCIL_CACHE_DIR";
/// Bytes of all entries: some thousands of programs.
const BYTES_MOST: u64 = 512 << 20;
/// How the name of an entry ends.
const ENDING: &str = "cached";

/// A folder of entries, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
    bytes_most: u64,
}

/// The line of an entry.
#[derive(Serialize, Deserialize)]
struct Line<H> {
    sha256: String,
    header: H,
}

impl Cache {
    /// The user's: `STENCIL_CACHE_DIR`, or `stencil` where the system keeps caches.
    pub fn of_user() -> Cache {
        let folder = |name: &str| env::var_os(name).filter(|f| !f.is_empty()).map(PathBuf::from);
        let folder = match env::var_os(FOLDER_VARIABLE) {
            Some(_) => folder(FOLDER_VARIABLE),
            None => folder("XDG_CACHE_HOME")
                .or_else(|| Some(folder("HOME")?.join(".cache")))
                .map(|caches| caches.join("stencil")),
        };
        Cache { folder, bytes_most: BYTES_MOST }
    }

    /// One that keeps nothing.
    pub fn none() -> Cache {
        Cache { folder: None, bytes_most: 0 }
    }

    /// What was kept under a key.
    pub fn load<H: DeserializeOwned>(&self, key: &str) -> Option<(H, Vec<u8>)> {
        let path = self.path(key)?;
        let mut content = fs::read(&path).ok()?;
        let end = content.iter().position(|byte| *byte == b'\n')?;
        let bytes = content.split_off(end + 1);
        let line: Line<H> = serde_json::from_slice(&content).ok()?;
        if line.sha256 != sha256([bytes.as_slice()]) {
            return None;
        }
        // It was used now.
        let touched = fs::File::options().append(true).open(path);
        let _ = touched.and_then(|file| file.set_modified(SystemTime::now()));
        Some((line.header, bytes))
    }

    /// Keeps something under a key, if that can be done.
    pub fn store<H: Serialize>(&self, key: &str, header: &H, bytes: &[u8]) {
        let Some(path) = self.path(key) else { return };
        if self.try_store(&path, header, bytes).is_ok() {
            self.shrink();
        }
    }

    fn try_store<H: Serialize>(&self, path: &Path, header: &H, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let line = Line { sha256: sha256([bytes]), header };
        serde_json::to_writer(&mut file, &line)?;
        file.write_all(b"\n")?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{ENDING}")))
    }

    /// Removes what was not used for longest.
    fn shrink(&self) {
        let entries = self.folder.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        let mut entries = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let data =
                    path.metadata().ok().filter(|_| path.extension() == Some(ENDING.as_ref()))?;
                Some((data.modified().ok()?, path, data.len()))
            })
            .collect::<Vec<_>>();
        entries.sort();
        let mut bytes = entries.iter().map(|(_, _, length)| length).sum::<u64>();
        for (_, path, length) in entries {
            if bytes <= self.bytes_most {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= length;
            }
        }
    }
}

/// The digest of some parts, none of which runs into the next.
pub fn sha256<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What tells a file from an older one of its name, without reading it.
pub fn identity(path: &Path) -> String {
    let Ok(data) = path.metadata() else { return format!("{} is not there", path.display()) };
    let changed =
        data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!("{} {} {changed:?}", path.display(), data.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(folder: &Path, bytes_most: u64) -> Cache {
        Cache { folder: Some(folder.join("new")), bytes_most }
    }

    fn found(cache: &Cache, key: &str) -> Option<(String, Vec<u8>)> {
        cache.load(key)
    }

    #[test]
    fn what_is_kept_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), 1 << 20);
        assert_eq!(found(&cache, "a"), None);
        cache.store("a", &"one\ntwo", b"bytes\n\0");
        assert_eq!(found(&cache, "a"), Some(("one\ntwo".to_owned(), b"bytes\n\0".to_vec())));
        assert_eq!(found(&cache, "b"), None);
    }

    #[test]
    fn what_is_damaged_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), 1 << 20);
        cache.store("a", &"head", b"bytes");
        let path = cache.path("a").unwrap();
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(found(&cache, "a"), None, "the first {end} bytes");
        }
        let mut changed = whole;
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(found(&cache, "a"), None);
    }

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), 1500);
        let age = |key: &str, seconds| {
            let file = fs::File::options().append(true).open(cache.path(key).unwrap()).unwrap();
            let past = SystemTime::now() - std::time::Duration::from_secs(seconds);
            file.set_modified(past).unwrap();
        };
        cache.store("a", &"", &[0; 500]);
        cache.store("b", &"", &[0; 500]);
        age("a", 300);
        age("b", 200);
        assert!(found(&cache, "a").is_some(), "used now");
        cache.store("c", &"", &[0; 500]);
        let left = ["a", "b", "c"].map(|key| found(&cache, key).is_some());
        assert_eq!(left, [true, false, true]);
    }

    #[test]
    fn nothing_is_kept_where_nothing_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new");
        fs::write(&file, "no folder").unwrap();
        for cache in [Cache::none(), cache(folder.path(), 1 << 20)] {
            cache.store("a", &"", b"");
            assert_eq!(found(&cache, "a"), None);
        }
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let digest = |parts: [&str; 2]| sha256(parts.map(str::as_bytes));
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
    }
}
