//! Where outputs go: files, folders, standard output.

use crate::options::Emission;
use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};
use stencil_driver::{DriverError, compile::Emit};
use stencil_runtime::output::{self, OutputError};

/// Where one output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// The place of every output, decided before anything is compiled.
///
/// Without `-o`, a single text goes to standard output, all else to files in the current folder.
pub fn places(
    emissions: &[Emission],
    output: Option<&Path>,
    stem: &Path,
) -> Result<Vec<(Emit, Place)>, DriverError> {
    let mut emits: Vec<Emit> = emissions.iter().map(|emission| emission.0).collect();
    emits.sort_unstable();
    emits.dedup();
    let in_folder = |folder: &Path| {
        let file = |emit: &Emit| {
            let mut name = stem.as_os_str().to_owned();
            name.push(format!(".{}", emit.ending()));
            (*emit, Place::File(folder.join(name)))
        };
        emits.iter().map(file).collect()
    };
    match (output, emits.as_slice()) {
        (None, [only]) if only.is_text() => Ok(vec![(*only, Place::Stdout)]),
        (None, _) => Ok(in_folder(Path::new(""))),
        (Some(path), _) if is_folder(path) => Ok(in_folder(path)),
        (Some(path), [only]) if path == Path::new("-") => {
            if !only.is_text() && io::stdout().is_terminal() {
                let problem = format!("--emit={} is no text for a terminal", only.name());
                return Err(DriverError::Option(format!("{problem}; name a file with -o")));
            }
            Ok(vec![(*only, Place::Stdout)])
        }
        (Some(path), [only]) => Ok(vec![(*only, Place::File(path.to_owned()))]),
        (Some(path), several) => {
            let (path, count) = (path.display(), several.len());
            let problem = format!("-o {path} is one file for {count} outputs");
            Err(DriverError::Option(format!("{problem}; name a folder, as in -o {path}/")))
        }
    }
}

/// A file that is written as the input is, with calls, ends as the input does.
pub fn keep_ending(places: &mut [(Emit, Place)], input: &str) {
    let ending = Path::new(input).extension().filter(|ending| *ending != "c");
    for (emit, place) in places {
        if let (Emit::CHost, Place::File(path), Some(ending)) = (emit, place, ending)
            && path.to_str().is_some_and(|path| path.ends_with(".host.c"))
        {
            path.set_extension(ending);
        }
    }
}

/// Refuses outputs that would replace the file that is read.
pub fn keep_input<'p>(
    outputs: impl IntoIterator<Item = &'p Path>,
    input: &str,
) -> Result<(), DriverError> {
    let Ok(input) = fs::canonicalize(input) else { return Ok(()) };
    let replaces = |path: &&Path| fs::canonicalize(path).is_ok_and(|path| path == input);
    match outputs.into_iter().find(replaces) {
        None => Ok(()),
        Some(path) => {
            let path = path.display();
            let problem = format!("'{path}' is the input, which the output would replace");
            Err(DriverError::Option(format!("{problem}; name another file, or a folder: -o DIR/")))
        }
    }
}

/// The file of a place; none of standard output.
pub fn file_of(place: &Place) -> Option<&Path> {
    match place {
        Place::Stdout => None,
        Place::File(path) => Some(path),
    }
}

/// Whether a path names a folder, there or to be made.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Writes an output: the whole of it, or nothing.
pub fn write(place: &Place, content: &[u8]) -> Result<(), DriverError> {
    match place {
        Place::Stdout => print(content),
        Place::File(path) => {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder)
                    .map_err(|error| OutputError { path: folder.to_owned(), error })?;
            }
            Ok(output::write_file(path, content)?)
        }
    }
}

/// Prints to standard output. A reader that has seen enough is no error.
pub fn print(content: &[u8]) -> Result<(), DriverError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(content).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(OutputError { path: PathBuf::from("standard output"), error }.into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(emits: &[Emit], output: Option<&str>) -> Result<Vec<(Emit, Place)>, String> {
        let emissions: Vec<Emission> = emits.iter().copied().map(Emission).collect();
        places(&emissions, output.map(Path::new), Path::new("heat"))
            .map_err(|error| error.to_string())
    }

    fn file(path: &str) -> Place {
        Place::File(PathBuf::from(path))
    }

    #[test]
    fn one_text_is_printed_and_the_rest_goes_to_files() {
        assert_eq!(of(&[Emit::Ptx], None), Ok(vec![(Emit::Ptx, Place::Stdout)]));
        assert_eq!(of(&[Emit::Package], None), Ok(vec![(Emit::Package, file("heat.spk"))]));
        assert_eq!(
            of(&[Emit::Ptx, Emit::Stencil, Emit::Ptx], None),
            Ok(vec![(Emit::Stencil, file("heat.stencil.mlir")), (Emit::Ptx, file("heat.ptx"))])
        );
    }

    #[test]
    fn a_path_is_a_file_or_a_folder() {
        assert_eq!(of(&[Emit::Ptx], Some("a/b.ptx")), Ok(vec![(Emit::Ptx, file("a/b.ptx"))]));
        assert_eq!(of(&[Emit::Ptx], Some("out/")), Ok(vec![(Emit::Ptx, file("out/heat.ptx"))]));
        assert_eq!(of(&[Emit::Ptx], Some("-")), Ok(vec![(Emit::Ptx, Place::Stdout)]));
        let error = of(&[Emit::Ptx, Emit::Llvm], Some("a.ptx")).unwrap_err();
        assert_eq!(error, "-o a.ptx is one file for 2 outputs; name a folder, as in -o a.ptx/");
    }
}
