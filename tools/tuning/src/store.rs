//! A file of records, one in a line.
//!
//! Lines are only appended, under a lock of the file, and each is on the disk before the next
//! measurement begins: a tuner that is killed loses at most what it was measuring, and several may
//! write at once. A line that was cut off by a crash is ignored, and replaced by the next one. Two
//! files are merged by writing one behind the other, which is also how version control merges
//! them; records that are there twice do no harm.

use crate::record::{FORMAT, Record};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum StoreError {
    #[error("'{}' does not exist; 'stencilc tune' makes it", path.display())]
    Missing { path: PathBuf },
    #[error("'{}' cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("'{}' cannot be written: {error}; what it had before is unchanged", path.display())]
    NotWritten { path: PathBuf, error: io::Error },
    #[error(
        "'{}', line {line}: it is no measurement of 'stencilc tune' ({error}); name another file, \
         or remove the line", path.display()
    )]
    Foreign { path: PathBuf, line: usize, error: serde_json::Error },
    #[error(
        "'{}', line {line}: its format is {found}, and this version reads {FORMAT} at most; use a \
         later version, or another file", path.display()
    )]
    Later { path: PathBuf, line: usize, found: u64 },
}

/// The records of a file; none if there is no file.
///
/// # Errors
/// If it cannot be read, or has lines that are no records.
pub fn read(path: &Path) -> Result<Vec<Record>, StoreError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::Unreadable { path: path.to_owned(), error }),
    };
    let mut bytes = Vec::new();
    // Where locks are not supported, a line that is being written is taken for one cut off.
    let _ = file.lock_shared();
    let done = file.read_to_end(&mut bytes);
    done.map_err(|error| StoreError::Unreadable { path: path.to_owned(), error })?;
    parse(path, &bytes)
}

/// Records of the lines that end.
fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Record>, StoreError> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines.map(|(number, line)| record(path, number + 1, line)).collect()
}

fn record(path: &Path, line: usize, text: &[u8]) -> Result<Record, StoreError> {
    let foreign = |error| StoreError::Foreign { path: path.to_owned(), line, error };
    match serde_json::from_slice::<Record>(text) {
        Ok(record) if record.format == FORMAT => Ok(record),
        parsed => {
            let value = serde_json::from_slice::<serde_json::Value>(text).map_err(foreign)?;
            match (value["format"].as_u64(), parsed) {
                (Some(found), _) if found > u64::from(FORMAT) => {
                    Err(StoreError::Later { path: path.to_owned(), line, found })
                }
                (_, Err(error)) => Err(foreign(error)),
                (_, Ok(record)) => Ok(record),
            }
        }
    }
}

/// A file that is written to.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// Opens a file for writing, and makes it if there is none.
    ///
    /// # Errors
    /// If it cannot be written, or has lines that are no records: it is not written to then.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        read(path)?;
        let store = Store { path: path.to_owned() };
        store.file().map_err(|error| store.not_written(error))?;
        Ok(store)
    }

    /// The records that it has now, those of other tuners among them.
    ///
    /// # Errors
    /// As for [`read`].
    pub fn records(&self) -> Result<Vec<Record>, StoreError> {
        read(&self.path)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a record, which is on the disk afterwards.
    ///
    /// # Errors
    /// If it cannot be written. The file is then as it was.
    pub fn append(&self, record: &Record) -> Result<(), StoreError> {
        let line = serde_json::to_string(record).expect("a record is plain data with text keys");
        self.try_append(&line).map_err(|error| self.not_written(error))
    }

    fn try_append(&self, line: &str) -> io::Result<()> {
        let mut file = self.file()?;
        // File systems without locks have one tuner at a time.
        match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
            _ => {}
        }
        let length = end_of_lines(&mut file)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        let written = file.write_all(format!("{line}\n").as_bytes());
        let written = written.and_then(|()| file.sync_data());
        if written.is_err() {
            // A full disk: half a line is worse than none.
            file.set_len(length)?;
        }
        written
    }

    fn file(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)
    }

    fn not_written(&self, error: io::Error) -> StoreError {
        StoreError::NotWritten { path: self.path.clone(), error }
    }
}

/// Where the last whole line ends.
fn end_of_lines(file: &mut File) -> io::Result<u64> {
    const CHUNK: u64 = 4096;
    let mut end = file.metadata()?.len();
    let mut bytes = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(start))?;
        bytes.clear();
        Read::by_ref(file).take(end - start).read_to_end(&mut bytes)?;
        if let Some(last) = bytes.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{failed, record};
    use std::{fs, thread};

    fn file(folder: &tempfile::TempDir) -> PathBuf {
        folder.path().join("tuned.jsonl")
    }

    #[test]
    fn records_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder);
        assert_eq!(read(&path).unwrap(), []);
        let store = Store::open(&path).unwrap();
        let records = [record("heat", 64, "points=8", 9.0), failed("heat", 64, "points=4")];
        records.iter().for_each(|record| store.append(record).unwrap());
        assert_eq!(store.records().unwrap(), records);
        assert_eq!(read(&path).unwrap(), records);
    }

    #[test]
    fn a_line_that_was_cut_off_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder);
        let (first, second) = (record("heat", 64, "points=8", 9.0), record("heat", 64, "", 10.0));
        Store::open(&path).unwrap().append(&first).unwrap();
        let whole = fs::read(&path).unwrap();
        let line = serde_json::to_vec(&second).unwrap();
        for end in 1..line.len() {
            fs::write(&path, [&whole, &line[..end]].concat()).unwrap();
            let store = Store::open(&path).unwrap();
            assert_eq!(store.records().unwrap(), std::slice::from_ref(&first), "{end} bytes");
            store.append(&second).unwrap();
            assert_eq!(store.records().unwrap(), [first.clone(), second.clone()], "{end} bytes");
        }
    }

    #[test]
    fn several_tuners_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder);
        thread::scope(|scope| {
            for tuner in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let store = Store::open(path).unwrap();
                    for number in 0..50 {
                        let plan = format!("points={tuner},ring={number}");
                        store.append(&record("heat", 64, &plan, 1.0)).unwrap();
                    }
                });
            }
        });
        let mut plans = read(&path).unwrap();
        plans.sort_by(|one, other| one.candidate.plan.cmp(&other.candidate.plan));
        plans.dedup();
        assert_eq!(plans.len(), 200);
    }

    #[test]
    fn foreign_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder);
        let line = serde_json::to_string(&record("heat", 64, "", 1.0)).unwrap();
        let later = line.replace("\"format\":1", "\"format\":2");
        let cases = [
            ("not JSON\n".to_owned(), "line 1: it is no measurement of 'stencilc tune'"),
            (format!("{line}\n{{\"a\":1}}\n"), "line 2: it is no measurement"),
            (format!("{line}\n\n{later}\n"), "line 3: its format is 2, and this version reads 1"),
        ];
        for (text, said) in cases {
            fs::write(&path, &text).unwrap();
            let error = Store::open(&path).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("tuned.jsonl");
        let error = Store::open(&path).unwrap_err().to_string();
        assert!(error.contains("cannot be written"), "{error}");
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("cannot be read"), "{error}");
    }

    /// A device that is always full.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_said() {
        let full = Path::new("/dev/full");
        if full.exists() {
            let store = Store { path: full.to_owned() };
            let error = store.append(&record("heat", 64, "", 1.0)).unwrap_err().to_string();
            assert!(error.contains("cannot be written"), "{error}");
        }
    }
}
