//! Writes results atomically.
//!
//! A file is written under a temporary name in the same folder, flushed to disk, and renamed. The
//! files of one run go through one temporary folder and are renamed when all are complete: after a
//! failure everything is unchanged.

use crate::{
    bind::Value,
    fields,
    manifest::{Argument, FieldShape},
};
use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

/// A failed write.
#[derive(Debug, thiserror::Error)]
#[error("'{}' cannot be written: {error}", path.display())]
pub struct OutputError {
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    pub error: io::Error,
}

/// Attaches a path to an error of the system.
fn at(path: &Path) -> impl Fn(io::Error) -> OutputError + '_ {
    move |error| OutputError { path: path.to_owned(), error }
}

/// Writes a file atomically. Links are followed. Devices and pipes are written directly, because
/// renaming over `/dev/null` would replace it by a file for every program of the machine.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), OutputError> {
    let place = followed(path).map_err(at(path))?;
    if fs::metadata(&place).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut stream = fs::OpenOptions::new().write(true).open(&place).map_err(at(path))?;
        return stream.write_all(content).map_err(at(path));
    }
    let folder = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stencil-");
    // The default permissions of a new file; the system applies the umask.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(at(path))?;
    file.write_all(content).map_err(at(path))?;
    file.as_file().sync_all().map_err(at(path))?;
    file.persist(&place).map_err(|failed| at(path)(failed.error))?;
    Ok(())
}

/// What a chain of symbolic links ends at, a file or not.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    while let Ok(target) = fs::read_link(&place) {
        // The system's own answer where links form a circle.
        if let Err(error) = fs::metadata(&place)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    Ok(place)
}

/// The file name of each argument, were it a field: `u.npy` for argument u, `arg3.npy` for one
/// without a name. A name that is ambiguous, looks like a position, or is not safe as a file name
/// counts as none.
pub fn field_file_names(arguments: &[Argument]) -> Vec<String> {
    let is_only = |name: &str| {
        arguments.iter().filter(|other| other.name.as_deref() == Some(name)).count() == 1
    };
    let file = |(position, argument): (usize, &Argument)| {
        let by_position = format!("arg{position}");
        let name = argument.name.as_deref().filter(|name| {
            let is_position = name.strip_prefix("arg").is_some_and(is_number);
            is_file_name(name) && !is_position && is_only(name)
        });
        format!("{}.npy", name.unwrap_or(&by_position))
    };
    arguments.iter().enumerate().map(file).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Letters, digits and a few signs, which every file system accepts.
fn is_file_name(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.$".contains(&byte);
    let starts = name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    starts && name.len() <= NAME_BYTES_MAX && name.bytes().all(is_inner)
}

/// Limit on a name that becomes a file name; systems allow 255 bytes.
const NAME_BYTES_MAX: usize = 200;

/// Writes every field among `arguments` to `folder`, under the names of [`field_file_names`]. The
/// folder is made if it is missing. No file in it changes before all are complete on the disk.
/// Returns the files written, in the order of the arguments.
pub fn write_fields(
    folder: &Path,
    arguments: &[Argument],
    values: &[Value],
) -> Result<Vec<PathBuf>, OutputError> {
    let mut written = FieldFiles::new(folder, arguments)?;
    for (position, value) in values.iter().enumerate() {
        if let Value::Field(cells) = value {
            written.write(position, cells)?;
        }
    }
    written.finish()
}

/// Files of fields that appear together, for a caller that has one field at a time.
pub struct FieldFiles<'f> {
    folder: &'f Path,
    arguments: &'f [Argument],
    names: Vec<String>,
    staging: tempfile::TempDir,
    moves: Vec<(PathBuf, PathBuf)>,
}

impl<'f> FieldFiles<'f> {
    /// Makes the folder if it is missing.
    pub fn new(folder: &'f Path, arguments: &'f [Argument]) -> Result<FieldFiles<'f>, OutputError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        // Inside the folder, so that renaming stays on one file system.
        let staging =
            tempfile::Builder::new().prefix(".stencil-").tempdir_in(folder).map_err(at(folder))?;
        let names = field_file_names(arguments);
        Ok(FieldFiles { folder, arguments, names, staging, moves: Vec::new() })
    }

    /// Writes the field at a position, for the time being to another place.
    ///
    /// # Panics
    /// If the argument is no field, or one of another size.
    pub fn write(&mut self, position: usize, cells: &[u8]) -> Result<(), OutputError> {
        let shape = self.arguments[position].kind.as_field().expect("only fields are written");
        let name = &self.names[position];
        let (source, target) = (self.staging.path().join(name), self.folder.join(name));
        if target.is_dir() {
            let error = io::Error::new(io::ErrorKind::IsADirectory, "it is a folder");
            return Err(OutputError { path: target, error });
        }
        let file = fs::File::create(&source).map_err(at(&target))?;
        fields::write_npy(&file, shape, cells).map_err(at(&target))?;
        file.sync_all().map_err(at(&target))?;
        self.moves.push((source, target));
        Ok(())
    }

    /// Has the files appear, and names them.
    pub fn finish(self) -> Result<Vec<PathBuf>, OutputError> {
        for (source, target) in &self.moves {
            fs::rename(source, target).map_err(at(target))?;
        }
        Ok(self.moves.into_iter().map(|(_, target)| target).collect())
    }
}

/// A folder under construction, which appears when complete.
pub struct Staging<'p> {
    folder: tempfile::TempDir,
    target: &'p Path,
}

impl<'p> Staging<'p> {
    /// A staging folder next to `target`, in `folder`, which is created if missing.
    pub fn new(folder: &Path, target: &'p Path) -> Result<Staging<'p>, OutputError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        let staging =
            tempfile::Builder::new().prefix(".stencil-").tempdir_in(folder).map_err(at(folder))?;
        let content = staging.path().join(NEW);
        fs::create_dir(&content).map_err(at(&content))?;
        Ok(Staging { folder: staging, target })
    }

    /// Writes a field into the folder.
    pub fn write_field(
        &self,
        name: &str,
        shape: &FieldShape,
        cells: &[u8],
    ) -> Result<(), OutputError> {
        let (path, target) = (self.folder.path().join(NEW).join(name), self.target.join(name));
        let file = fs::File::create(&path).map_err(at(&target))?;
        fields::write_npy(&file, shape, cells).map_err(at(&target))?;
        file.sync_all().map_err(at(&target))
    }

    /// Writes a text into the folder.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), OutputError> {
        write_file(&self.folder.path().join(NEW).join(name), text.as_bytes())
    }

    /// Renames the folder to its final name, replacing an existing one.
    pub fn finish(self) -> Result<(), OutputError> {
        let (new, old) = (self.folder.path().join(NEW), self.folder.path().join("old"));
        if self.target.exists() {
            fs::rename(self.target, old).map_err(at(self.target))?;
        }
        fs::rename(new, self.target).map_err(at(self.target))
    }
}

/// The name of the content inside a staging folder.
const NEW: &str = "new";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bind, samples};

    fn values() -> Vec<Value> {
        let set = |text: &str| text.parse().unwrap();
        let requests =
            bind::Requests { arguments: vec![set("2=1"), set("3=1")], ..Default::default() };
        bind::bind(&samples::function().arguments, &requests).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_what_it_names_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["file", "link"]);

        fs::remove_file(&file).unwrap();
        let relative = folder.path().join("relative");
        std::os::unix::fs::symlink("link", &relative).unwrap();
        write_file(&relative, b"newer").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"newer");
        assert_eq!(names(folder.path()), ["file", "link", "relative"]);

        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&relative, &file).unwrap();
        assert!(write_file(&link, b"lost").unwrap_err().to_string().contains("ymbolic link"));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_and_stays() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_file(&pipe, b"content").unwrap();
        // Checked first: nothing would write to a reader of a replaced pipe.
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), b"content");
    }

    #[test]
    fn every_field_gets_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("results/of/today");
        let arguments = samples::function().arguments;
        let files = write_fields(&target, &arguments, &values()).unwrap();
        assert_eq!(files, [target.join("u.npy"), target.join("v.npy")]);
        assert_eq!(names(&target), ["u.npy", "v.npy"]);
        for (position, file) in files.iter().enumerate() {
            let cells = fields::read_npy(file, arguments[position].kind.as_field().unwrap());
            assert_eq!(Value::Field(cells.unwrap()), values()[position]);
        }
    }

    #[test]
    fn files_have_the_names_of_fields_that_have_one() {
        let long = "x".repeat(NAME_BYTES_MAX + 1);
        let names = ["u", "", "v", "v", "../w", "arg7", ".hidden", long.as_str(), "p_2-new", "a/b"];
        let field = &samples::function().arguments[0];
        let arguments = names.map(|name| {
            let name = (!name.is_empty()).then(|| name.to_owned());
            Argument { name, kind: field.kind.clone() }
        });
        let stems =
            ["u", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "p_2-new", "arg9"];
        assert_eq!(field_file_names(&arguments), stems.map(|stem| format!("{stem}.npy")));
    }

    #[test]
    fn an_error_leaves_the_folder_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("v.npy")).unwrap();
        fs::write(folder.path().join("u.npy"), "old").unwrap();
        let arguments = samples::function().arguments;
        let error = write_fields(folder.path(), &arguments, &values()).unwrap_err();
        assert!(error.to_string().ends_with("v.npy' cannot be written: it is a folder"));
        assert_eq!(names(folder.path()), ["u.npy", "v.npy"]);
        assert_eq!(fs::read(folder.path().join("u.npy")).unwrap(), b"old");
    }

    #[test]
    fn folders_appear_and_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (parent, target) = (folder.path().join("out"), folder.path().join("out/step-1"));
        let shape = samples::function().arguments[0].kind.as_field().unwrap().clone();
        for byte in [1, 2] {
            let staging = Staging::new(&parent, &target).unwrap();
            staging.write_field("u.npy", &shape, &vec![byte; shape.bytes()]).unwrap();
            staging.write_text(&format!("{byte}.txt"), "x").unwrap();
            assert_eq!(target.exists(), byte == 2, "the old one stays until the new is whole");
            staging.finish().unwrap();
            assert_eq!(names(&parent), ["step-1"]);
            assert_eq!(names(&target), [format!("{byte}.txt"), "u.npy".to_owned()]);
        }
        // An abandoned one leaves nothing.
        drop(Staging::new(&parent, &target).unwrap());
        assert_eq!(names(&parent), ["step-1"]);
    }

    #[test]
    fn files_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        write_file(&path, b"first").unwrap();
        write_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["report.json"]);
        let refused = write_file(&folder.path().join("missing/report.json"), b"").unwrap_err();
        assert_eq!(refused.error.kind(), io::ErrorKind::NotFound, "{refused}");
    }
}
