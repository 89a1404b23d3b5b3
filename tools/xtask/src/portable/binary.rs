//! What a program asks of the system it starts on.

use std::fmt;

use anyhow::{Context, Result, bail};
use object::Endianness;
use object::elf::{DT_NEEDED, FileHeader64};
use object::read::elf::{Dyn, FileHeader};

/// Libraries that every Linux system with glibc has. `libcuda` is not among them: it is opened at
/// run time.
const LIBRARIES: &[&str] =
    &["libc", "libm", "libdl", "libpthread", "librt", "libgcc_s", "ld-linux", "ld-linux-x86-64"];
/// A program of this kind fits into a mail.
const BYTES_MAX: usize = 10_000_000;

/// A version of glibc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

/// What is known of a program.
#[derive(Debug)]
pub struct Binary {
    bytes: usize,
    /// The libraries that are loaded before it starts.
    needed: Vec<String>,
    /// The newest version of glibc that one of its symbols is of.
    glibc: Version,
    /// Whether it has text that only LLVM has.
    has_llvm: bool,
}

impl Binary {
    /// Reads a program for a 64-bit system.
    pub fn read(content: &[u8]) -> Result<Self> {
        let header = FileHeader64::<Endianness>::parse(content).context("it is no 64-bit ELF")?;
        let endian = header.endian()?;
        let sections = header.sections(endian, content)?;
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();

        let mut needed = Vec::new();
        let (entries, strings) =
            sections.dynamic(endian, content)?.context("it is linked statically")?;
        let strings = sections.strings(endian, content, strings)?;
        for entry in entries.iter().filter(|entry| entry.tag(endian) == DT_NEEDED) {
            needed.push(text(entry.string(endian, strings)?));
        }

        let mut glibc = Version { major: 0, minor: 0 };
        if let Some((mut files, strings)) = sections.gnu_verneed(endian, content)? {
            let strings = sections.strings(endian, content, strings)?;
            while let Some((_, mut versions)) = files.next()? {
                while let Some(version) = versions.next()? {
                    let name = text(version.name(endian, strings)?);
                    if let Some(number) = name.strip_prefix("GLIBC_") {
                        glibc = glibc.max(Version::parse(number)?);
                    }
                }
            }
        }
        // Every copy of LLVM has the names of its command line options.
        let mark = b"amdgpu-";
        let has_llvm = content.windows(mark.len()).any(|window| window == mark);
        Ok(Self { bytes: content.len(), needed, glibc, has_llvm })
    }

    /// What breaks the promise.
    pub fn problems(&self, glibc_max: Version) -> Vec<String> {
        let mut problems = Vec::new();
        if self.glibc > glibc_max {
            problems.push(format!("needs glibc {}, {glibc_max} is promised", self.glibc));
        }
        for library in &self.needed {
            let name = library.split(".so").next().unwrap_or_default();
            if !LIBRARIES.contains(&name) {
                problems.push(format!("needs {library}, which not every system has"));
            }
        }
        if self.bytes > BYTES_MAX {
            problems.push(format!("has {} bytes, more than {BYTES_MAX}", self.bytes));
        }
        if self.has_llvm {
            problems.push("holds LLVM".to_owned());
        }
        problems
    }

    /// `2238416 bytes, needs glibc 2.30 and libc.so.6 libm.so.6`.
    pub fn describe(&self) -> String {
        let Self { bytes, needed, glibc, .. } = self;
        format!("{bytes} bytes, needs glibc {glibc} and {}", needed.join(" "))
    }
}

impl Version {
    /// Reads `2.31` or `2.2.5`, of which the last part does not matter here.
    fn parse(text: &str) -> Result<Self> {
        let mut parts = text.split('.').map(str::parse);
        match (parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(Self { major, minor }),
            // A symbol that only parts of glibc itself may use.
            _ if text == "PRIVATE" => bail!("it uses private symbols of glibc"),
            _ => bail!("'GLIBC_{text}' is no version of glibc"),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Version = Version { major: 2, minor: 17 };

    fn binary() -> Binary {
        let needed = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"].map(str::to_owned).into();
        Binary { bytes: 2_000_000, needed, glibc: OLD, has_llvm: false }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let version = |text| Version::parse(text).unwrap();
        assert!(version("2.4") < version("2.31") && version("2.31") < version("3.0"));
        assert_eq!(version("2.2.5"), version("2.2"));
        assert_eq!(
            Version::parse("ABI_DT_RELR").unwrap_err().to_string(),
            "'GLIBC_ABI_DT_RELR' is no version of glibc"
        );
    }

    #[test]
    fn every_promise_is_checked() {
        assert!(binary().problems(OLD).is_empty());
        let broken = Binary {
            bytes: BYTES_MAX + 1,
            needed: vec!["libc.so.6".to_owned(), "libLLVM-22.so.1".to_owned()],
            glibc: Version { major: 2, minor: 36 },
            has_llvm: true,
        };
        assert_eq!(
            broken.problems(Version { major: 2, minor: 31 }),
            [
                "needs glibc 2.36, 2.31 is promised",
                "needs libLLVM-22.so.1, which not every system has",
                "has 10000001 bytes, more than 10000000",
                "holds LLVM",
            ]
        );
    }

    /// This test itself is a program that was linked on this machine, for this machine.
    #[test]
    fn programs_are_read() {
        let content = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let binary = Binary::read(&content).unwrap();
        assert!(binary.needed.iter().any(|library| library.starts_with("libc.so")));
        assert!(binary.glibc >= OLD, "{}", binary.glibc);
        assert_eq!(binary.bytes, content.len());
        let problems = binary.problems(Version { major: 2, minor: 2 });
        assert!(problems[0].starts_with("needs glibc 2."), "{problems:?}");
        let error = Binary::read(b"#!/bin/sh\n").unwrap_err();
        assert_eq!(error.to_string(), "it is no 64-bit ELF");
    }
}
