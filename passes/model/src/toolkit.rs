//! Where NVIDIA's programs are: `ptxas`, `nvdisasm`, `nvcc`.
//!
//! A variable of the environment, `STENCIL_` and the program's name in capitals, wins over the
//! PATH, over `CUDA_HOME` and `CUDA_PATH`, over `/usr/local/cuda`, over the Python packages of
//! NVIDIA beside that of the running program, and over the private environment `.venv` of a folder
//! above it. What it names is taken even where there is no such file: its writer then sees the
//! error of running it instead of another version's results.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The variable of the environment that names a program.
pub fn variable(program: &str) -> String {
    format!("STENCIL_{}", program.to_uppercase())
}

/// A file that a variable of the environment names, if it is set and not empty.
pub fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A program; none where nothing names one and none is installed.
pub fn find(program: &str) -> Option<PathBuf> {
    named(&variable(program)).or_else(|| {
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).map(|folder| folder.join(program));
        let installed = homes().map(|home| home.join("bin").join(program));
        let found = on_path.chain(installed).find(|file| file.is_file());
        found.or_else(|| private(program))
    })
}

/// The program, as an error of running it says which one it was.
pub fn described(program: &Path, variable: &str) -> String {
    let from = if named(variable).as_deref() == Some(program) { variable } else { "" };
    match from {
        "" => format!("'{}'", program.display()),
        variable => format!("'{}', which {variable} names,", program.display()),
    }
}

/// Folders of CUDA toolkits.
pub fn homes() -> impl Iterator<Item = PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    named.chain([PathBuf::from("/usr/local/cuda")])
}

/// In Python's packages: of the environment that the running program lies in, or of `.venv`.
fn private(program: &str) -> Option<PathBuf> {
    let running = env::current_exe().ok()?;
    running.ancestors().find_map(|folder| of_packages(folder, program))
}

fn of_packages(folder: &Path, program: &str) -> Option<PathBuf> {
    let versions = fs::read_dir(folder.join(".venv/lib")).into_iter().flatten();
    let private = versions.filter_map(|it| Some(it.ok()?.path().join("site-packages")));
    let found = std::iter::once(folder.to_owned()).chain(private);
    found.map(|it| it.join("nvidia/cu13/bin").join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_python_are_looked_at() {
        let root = tempfile::tempdir().unwrap();
        let packages = root.path().join("lib/python3.9/site-packages");
        let private = root.path().join(".venv/lib/python3.9/site-packages");
        for (folder, seen_from) in [(&packages, packages.as_path()), (&private, root.path())] {
            let file = folder.join("nvidia/cu13/bin/ptxas");
            assert_eq!(of_packages(seen_from, "ptxas"), None);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "").unwrap();
            assert_eq!(of_packages(seen_from, "ptxas"), Some(file));
        }
    }

    #[test]
    fn a_program_nobody_names_is_described_by_its_path() {
        assert_eq!(variable("ptxas"), "STENCIL_PTXAS");
        assert_eq!(described(Path::new("/usr/bin/x"), "STENCIL_NO_SUCH"), "'/usr/bin/x'");
        assert!(named("STENCIL_NO_SUCH").is_none() && find("no-such-program").is_none());
    }
}
