//! The program's text.

use crate::DriverError;
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};
use stencil_dialects::context;

/// A program as it was given.
#[derive(Clone, Debug)]
pub struct Input {
    /// What diagnostics call it: the file as typed, `<stdin>` for standard input.
    pub name: String,
    /// The text; of a file in MLIR's bytecode, what MLIR prints for it.
    pub text: String,
}

impl Input {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Input, DriverError> {
        let name = match path.to_str() {
            Some("-") => "<stdin>".to_owned(),
            _ => path.display().to_string(),
        };
        let content = match path.to_str() {
            Some("-") => {
                let mut content = Vec::new();
                io::stdin().lock().read_to_end(&mut content).map(|_| content)
            }
            _ => fs::read(path),
        };
        let content =
            content.map_err(|source| DriverError::Input { name: name.clone(), source })?;
        if context::is_bytecode(&content) {
            let text = context::text_of_bytecode(&context::new_context(), &content);
            return Ok(Input { name, text: text.ok_or(DriverError::Diagnosed)? });
        }
        match String::from_utf8(content) {
            Ok(text) => Ok(Input { name, text }),
            Err(error) => {
                Err(DriverError::NotText { name, offset: error.utf8_error().valid_up_to() })
            }
        }
    }

    /// What the files made of this program are called, without an ending.
    pub fn stem(&self) -> PathBuf {
        match Path::new(&self.name).file_stem() {
            Some(stem) if self.name != "<stdin>" => PathBuf::from(stem),
            _ => PathBuf::from("stdin"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_text_or_refused_with_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mlir");
        fs::write(&path, b"func\xff").unwrap();
        let message = Input::read(&path).unwrap_err().to_string();
        assert!(message.ends_with("is no text: byte 4 is not UTF-8"), "{message}");
        fs::write(&path, "func").unwrap();
        let input = Input::read(&path).unwrap();
        assert_eq!((input.text.as_str(), input.stem()), ("func", PathBuf::from("a")));
        let error = Input::read(folder.path()).unwrap_err();
        let DriverError::Input { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), io::ErrorKind::IsADirectory, "{error}");
    }
}
