//! The package: the one file in which compiled kernels travel.
//!
//! A zip archive, members uncompressed and sorted by name, every time stamp the same: equal
//! content gives equal bytes, whatever the day and the machine. Members:
//!
//! | member | content |
//! | --- | --- |
//! | `manifest.json` | [`Manifest`], with the SHA-256 of each `kernels.*` beside it |
//! | `kernels.ptx` | the kernels |
//! | `kernels.cubin` | machine code for the manifest's target, if there was an assembler |
//! | `kernels.ll` | the kernels' last LLVM IR, if asked for; the emulator runs it |
//! | `plain/...` | the same four for the same functions as plain kernels |
//! | `selftest/...` | the same four for the same functions at a small size |
//! | `selftest/expected.json` | what the interpreter gave there: a list of [`SelftestRun`] |
//!
//! The two folders are for [`crate::verify`]: plain kernels compute one step at a time and one
//! point a thread, so that a comparison with them on any input checks every transformation; the
//! self-test compares with a computation that no GPU took part in.
//!
//! The archive's comment holds the SHA-256 of all bytes before the digest. So a change of any
//! byte, headers included, is noticed; and a reader that cares less opens a plain zip file.

mod archive;
mod edited;
mod error;
mod selftest;

pub use edited::EditedPtxError;
pub use error::{ContentError, PackageError};
pub use selftest::{Selftest, SelftestRun, canonical_sha256};

use crate::{
    manifest::{ArgumentKind, ExtentsError, Function, Manifest},
    output,
};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fs, path::Path};

const CUBIN: &str = "kernels.cubin";
const LLVM_IR: &str = "kernels.ll";
const PTX: &str = "kernels.ptx";
const MANIFEST: &str = "manifest.json";
const PLAIN: &str = "plain/";
const SELFTEST: &str = "selftest/";
const EXPECTED: &str = "selftest/expected.json";

/// Compiled kernels and what is needed to run and to verify them.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The program.
    pub code: Code,
    /// The same functions as plain kernels.
    pub plain: Option<Code>,
    /// The same functions at a small size, and what they must give.
    pub selftest: Option<Selftest>,
}

/// Host programs and their kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The host programs, the kernels' shapes, reports.
    pub manifest: Manifest,
    /// The kernels as PTX.
    pub ptx: String,
    /// The kernels as machine code for `manifest.target`.
    pub cubin: Option<Vec<u8>>,
    /// The kernels as LLVM IR.
    pub llvm_ir: Option<String>,
}

/// Inconsistent parts of a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartsError {
    /// A function without its counterpart.
    #[error("function '{0}' has no plain kernels")]
    NotPlain(String),
    /// A counterpart with other arguments.
    #[error("function '{0}' takes other arguments as plain kernels")]
    OtherArguments(String),
    /// A list of runs that is not the JSON expected.
    #[error("member '{EXPECTED}' is not readable: {0}")]
    Expected(String),
    /// An invalid run of the self-test.
    #[error("member '{EXPECTED}', function '{function}': {problem}")]
    Run {
        /// The function of the run.
        function: String,
        /// What is wrong.
        problem: String,
    },
}

/// The function among plain ones that computes the same: that of its name, or for a variant for
/// some extents the one for all.
fn counterpart<'m>(function: &Function, plain: &'m [Function]) -> Option<&'m Function> {
    let named = |name: &str| plain.iter().find(|own| own.name == name);
    let base = || function.variant_of.as_deref().filter(|_| function.extents.is_some());
    named(&function.name).or_else(|| named(base()?))
}

impl Code {
    /// The same with the extents of a function's domain as constants; of its functions this one
    /// alone.
    pub fn at(&self, function: &Function, extents: &[u64]) -> Result<Code, ExtentsError> {
        Ok(Code { manifest: self.manifest.at(function, extents)?, ..self.clone() })
    }
}

impl Package {
    /// The same with the extents of a function's domain as constants, also for plain kernels; of
    /// its functions this one alone.
    pub fn at(&self, function: &Function, extents: &[u64]) -> Result<Package, ExtentsError> {
        let plain = self.plain.as_ref().and_then(|plain| {
            let own = counterpart(function, &plain.manifest.functions)?;
            Some(plain.at(own, extents))
        });
        let code = self.code.at(function, extents)?;
        Ok(Package { code, plain: plain.transpose()?, selftest: self.selftest.clone() })
    }

    /// Reads a package, checks every digest, and validates the manifests.
    pub fn read(path: &Path) -> Result<Package, PackageError> {
        Ok(Package::read_with_digest(path)?.0)
    }

    /// The same, with the digest of the whole file.
    pub fn read_with_digest(path: &Path) -> Result<(Package, String), PackageError> {
        let bytes = fs::read(path)
            .map_err(|error| PackageError::Unreadable { path: path.to_owned(), error })?;
        let broken = |problem| PackageError::Broken { path: path.to_owned(), problem };
        let package = Package::from_bytes(&bytes).map_err(broken)?;
        Ok((package, archive::digest(&bytes)))
    }

    /// The digest of a file's content, which [`Package::from_bytes`] or [`Package::to_bytes`] knows
    /// to be a package.
    pub fn digest_of(bytes: &[u8]) -> String {
        archive::digest(bytes)
    }

    /// Writes the package: completely, or not at all.
    pub fn write(&self, path: &Path) -> Result<(), PackageError> {
        Ok(output::write_file(path, &self.to_bytes()?)?)
    }

    /// The package's file content. The digests in the manifests are recomputed.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PackageError> {
        self.check().map_err(|error| PackageError::NotWritable(error.into()))?;
        let mut members = BTreeMap::new();
        let code = [("", Some(&self.code)), (PLAIN, self.plain.as_ref())];
        let selftest = (SELFTEST, self.selftest.as_ref().map(|selftest| &selftest.code));
        for (folder, code) in code.into_iter().chain([selftest]) {
            let Some(code) = code else { continue };
            code.add_to(folder, &mut members).map_err(PackageError::NotWritable)?;
        }
        if let Some(selftest) = &self.selftest {
            members.insert(EXPECTED.to_owned(), selftest.expected().into_bytes());
        }
        Ok(archive::write(&members).expect("writing to memory does not fail"))
    }

    /// Reads file content.
    pub fn from_bytes(bytes: &[u8]) -> Result<Package, ContentError> {
        archive::check_digest(bytes)?;
        let mut members = archive::read(bytes)?;
        let code = Code::take_from("", &mut members)?;
        let plain = Code::take_if_present(PLAIN, &mut members)?;
        let selftest = match Code::take_if_present(SELFTEST, &mut members)? {
            None => None,
            Some(code) => {
                let missing = || ContentError::Missing(EXPECTED.to_owned());
                let expected = members.remove(EXPECTED).ok_or_else(missing)?;
                Some(Selftest::new(code, &expected)?)
            }
        };
        if let Some((name, _)) = members.pop_first() {
            return Err(ContentError::Unexpected(name));
        }
        let package = Package { code, plain, selftest };
        package.check()?;
        Ok(package)
    }

    /// Drops the LLVM IR of all parts.
    pub fn drop_llvm_ir(&mut self) {
        let selftest = self.selftest.as_mut().map(|selftest| &mut selftest.code);
        for code in [Some(&mut self.code), self.plain.as_mut(), selftest].into_iter().flatten() {
            code.llvm_ir = None;
        }
    }

    /// Whether the parts belong to one program.
    fn check(&self) -> Result<(), PartsError> {
        if let Some(plain) = &self.plain {
            for function in &self.code.manifest.functions {
                match counterpart(function, &plain.manifest.functions) {
                    None => return Err(PartsError::NotPlain(function.name.clone())),
                    Some(other) if !takes_same(other, function) => {
                        return Err(PartsError::OtherArguments(function.name.clone()));
                    }
                    Some(_) => {}
                }
            }
        }
        self.selftest.as_ref().map_or(Ok(()), Selftest::check)
    }
}

impl Code {
    fn add_to(
        &self,
        folder: &str,
        members: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), ContentError> {
        let mut own = BTreeMap::from([(PTX, self.ptx.as_bytes())]);
        own.extend(self.cubin.as_ref().map(|cubin| (CUBIN, cubin.as_slice())));
        own.extend(self.llvm_ir.as_ref().map(|text| (LLVM_IR, text.as_bytes())));
        let digest_of = |(name, bytes): (&&str, &&[u8])| ((*name).to_owned(), sha256(bytes));
        let digests = own.iter().map(digest_of).collect();
        let manifest = Manifest { digests, ..self.manifest.clone() };
        manifest.validate()?;
        let json = manifest.to_json();
        own.insert(MANIFEST, json.as_bytes());
        let named = |(name, bytes): (&str, &[u8])| (format!("{folder}{name}"), bytes.to_owned());
        members.extend(own.into_iter().map(named));
        Ok(())
    }

    fn take_if_present(
        folder: &str,
        members: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<Option<Code>, ContentError> {
        let present = members.keys().any(|name| name.starts_with(folder));
        present.then(|| Code::take_from(folder, members)).transpose()
    }

    fn take_from(
        folder: &str,
        members: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<Code, ContentError> {
        let path = |name: &str| format!("{folder}{name}");
        let missing = |name: &str| ContentError::Missing(path(name));
        let json = members.remove(&path(MANIFEST)).ok_or_else(|| missing(MANIFEST))?;
        let manifest = Manifest::from_json(&json)?;
        let mut take = |name: &str| -> Result<Option<Vec<u8>>, ContentError> {
            match (members.remove(&path(name)), manifest.digests.get(name)) {
                (None, None) => Ok(None),
                (None, Some(_)) => Err(missing(name)),
                (Some(content), Some(digest)) if *digest == sha256(&content) => Ok(Some(content)),
                (Some(_), _) => Err(ContentError::Digest(path(name))),
            }
        };
        let text = |name: &str, content| {
            String::from_utf8(content).map_err(|_| ContentError::NotText(path(name)))
        };
        let ptx = take(PTX)?.ok_or_else(|| missing(PTX))?;
        let cubin = take(CUBIN)?;
        let llvm_ir = take(LLVM_IR)?.map(|content| text(LLVM_IR, content)).transpose()?;
        let known = [PTX, CUBIN, LLVM_IR];
        if let Some(name) = manifest.digests.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(missing(name));
        }
        Ok(Code { ptx: text(PTX, ptx)?, cubin, llvm_ir, manifest })
    }
}

/// The SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether plain kernels take what a function takes: several devices that share its domain are
/// compared with one that computes all of it, and read what is scratch for that one. Padding is no
/// part of what callers pass.
fn takes_same(plain: &Function, function: &Function) -> bool {
    let mut whole = function.whole();
    for (one, other) in whole.arguments.iter_mut().zip(&plain.arguments) {
        if let (ArgumentKind::Field(own), ArgumentKind::Field(of)) = (&mut one.kind, &other.kind) {
            own.padding = of.padding;
            if function.decomposition.is_some() {
                own.scratch = of.scratch;
            }
        }
    }
    whole.arguments == plain.arguments
}

#[cfg(test)]
#[path = "package_tests.rs"]
mod tests;
