//! The package: the one file in which compiled kernels travel.
//!
//! A zip archive, members uncompressed and sorted by name, every time stamp the same: equal
//! content gives equal bytes, whatever the day and the machine. Members:
//!
//! | member | content |
//! | --- | --- |
//! | `kernels.cubin` | machine code for the manifest's target, if there was an assembler |
//! | `kernels.ll` | the kernels' last LLVM IR, if asked for; the emulator runs it |
//! | `kernels.ptx` | the kernels |
//! | `manifest.json` | [`Manifest`], with the SHA-256 of each other member |
//!
//! The archive's comment holds the SHA-256 of all bytes before the comment. So a change of any
//! byte, headers included, is noticed; and a reader that cares less opens a plain zip file.

use crate::{
    manifest::{Manifest, ManifestError},
    output::{self, OutputError},
};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Cursor, Read, Write},
    path::{Path, PathBuf},
};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

const CUBIN: &str = "kernels.cubin";
const LLVM_IR: &str = "kernels.ll";
const PTX: &str = "kernels.ptx";
const MANIFEST: &str = "manifest.json";

/// What stands in the comment before the digest.
const COMMENT_PREFIX: &str = "stencil package, sha256 ";
/// Length of a SHA-256 in hexadecimal.
const DIGEST_DIGITS: usize = 64;

/// Compiled kernels and what is needed to run them.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The host programs, the kernels' shapes, reports.
    pub manifest: Manifest,
    /// The kernels as PTX.
    pub ptx: String,
    /// The kernels as machine code for `manifest.target`.
    pub cubin: Option<Vec<u8>>,
    /// The kernels as LLVM IR.
    pub llvm_ir: Option<String>,
}

/// Why a package cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The file cannot be read.
    #[error("package '{}' cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The content is not that of a package.
    #[error("package '{}': {problem}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: ContentError,
    },
    /// The package to be written is wrong: a defect of the program that made it.
    #[error("package to be written is wrong: {0}")]
    NotWritable(ManifestError),
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// What is wrong with the bytes of a package.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// No digest at the end.
    #[error(
        "it is truncated or no kernel package (the digest at its end is missing); \
         copy it again, or compile it again"
    )]
    NoDigest,
    /// The digest at the end is another.
    #[error("it was altered or damaged (its bytes do not match its digest); compile it again")]
    Altered,
    /// The zip reader refuses it.
    #[error("it is no zip file: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// A member is compressed.
    #[error("member '{0}' is compressed; members of a package are stored as they are")]
    Compressed(String),
    /// A member cannot be read.
    #[error("member '{0}' cannot be read: {1}")]
    Member(String, io::Error),
    /// A member that should be there is not.
    #[error("member '{0}' is missing")]
    Missing(String),
    /// A member that is not known.
    #[error("member '{0}' is unknown or occurs twice")]
    Unexpected(String),
    /// The manifest's digest for a member is another.
    #[error("member '{0}' does not match its digest in the manifest")]
    Digest(String),
    /// A text member that is no text.
    #[error("member '{0}' is no UTF-8 text")]
    NotText(String),
    /// The manifest means nothing.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

impl Package {
    /// Reads a package, checks every digest, and validates the manifest.
    pub fn read(path: &Path) -> Result<Package, PackageError> {
        let bytes = fs::read(path)
            .map_err(|error| PackageError::Unreadable { path: path.to_owned(), error })?;
        Package::from_bytes(&bytes)
            .map_err(|problem| PackageError::Broken { path: path.to_owned(), problem })
    }

    /// Writes the package: completely, or not at all.
    pub fn write(&self, path: &Path) -> Result<(), PackageError> {
        Ok(output::write_file(path, &self.to_bytes()?)?)
    }

    /// The package's file content. The digests in the manifest are computed here; those that
    /// `self.manifest` holds are not looked at.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PackageError> {
        let mut members: BTreeMap<&str, &[u8]> = BTreeMap::from([(PTX, self.ptx.as_bytes())]);
        members.extend(self.cubin.as_ref().map(|cubin| (CUBIN, cubin.as_slice())));
        members.extend(self.llvm_ir.as_ref().map(|text| (LLVM_IR, text.as_bytes())));

        let digest_of = |(name, bytes): (&&str, &&[u8])| ((*name).to_owned(), sha256(bytes));
        let digests = members.iter().map(digest_of).collect();
        let manifest = Manifest { digests, ..self.manifest.clone() };
        manifest.validate().map_err(PackageError::NotWritable)?;
        let json = manifest.to_json();
        members.insert(MANIFEST, json.as_bytes());

        let archive = write_archive(&members).expect("writing to memory does not fail");
        Ok(archive)
    }

    /// Reads file content.
    pub fn from_bytes(bytes: &[u8]) -> Result<Package, ContentError> {
        check_file_digest(bytes)?;
        let mut members = read_archive(bytes)?;
        let json = members.remove(MANIFEST).ok_or(ContentError::Missing(MANIFEST.to_owned()))?;
        let manifest = Manifest::from_json(&json)?;
        if let Some(name) = manifest.digests.keys().find(|name| !members.contains_key(*name)) {
            return Err(ContentError::Missing(name.clone()));
        }
        for (name, content) in &members {
            match manifest.digests.get(name) {
                Some(digest) if *digest == sha256(content) => {}
                _ => return Err(ContentError::Digest(name.clone())),
            }
        }
        let ptx = members.remove(PTX).ok_or(ContentError::Missing(PTX.to_owned()))?;
        Ok(Package {
            manifest,
            ptx: text(PTX, ptx)?,
            cubin: members.remove(CUBIN),
            llvm_ir: members.remove(LLVM_IR).map(|content| text(LLVM_IR, content)).transpose()?,
        })
    }
}

/// The SHA-256 of `bytes` in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(name: &str, content: Vec<u8>) -> Result<String, ContentError> {
    String::from_utf8(content).map_err(|_| ContentError::NotText(name.to_owned()))
}

fn write_archive(members: &BTreeMap<&str, &[u8]>) -> zip::result::ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, options)?;
        writer.write_all(content)?;
    }
    // The comment's length is part of what the digest covers, so it stands there from the start.
    writer.set_comment(format!("{COMMENT_PREFIX}{}", "0".repeat(DIGEST_DIGITS)));
    let mut bytes = writer.finish()?.into_inner();
    let covered = bytes.len() - DIGEST_DIGITS;
    let digest = sha256(&bytes[..covered]);
    bytes[covered..].copy_from_slice(digest.as_bytes());
    Ok(bytes)
}

fn check_file_digest(bytes: &[u8]) -> Result<(), ContentError> {
    let covered = bytes.len().checked_sub(DIGEST_DIGITS).ok_or(ContentError::NoDigest)?;
    let (content, digest) = bytes.split_at(covered);
    if !content.ends_with(COMMENT_PREFIX.as_bytes()) {
        return Err(ContentError::NoDigest);
    }
    if sha256(content).as_bytes() != digest {
        return Err(ContentError::Altered);
    }
    Ok(())
}

fn read_archive(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, ContentError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut members = BTreeMap::new();
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index)?;
        let name = member.name().to_owned();
        if member.compression() != CompressionMethod::Stored {
            return Err(ContentError::Compressed(name));
        }
        if ![CUBIN, LLVM_IR, PTX, MANIFEST].contains(&name.as_str()) {
            return Err(ContentError::Unexpected(name));
        }
        drop(member);
        let mut content = Vec::new();
        // A stored member is never longer than the file, whatever its header says.
        let mut member = archive.by_index(index)?.take(bytes.len() as u64);
        member
            .read_to_end(&mut content)
            .map_err(|error| ContentError::Member(name.clone(), error))?;
        if members.insert(name.clone(), content).is_some() {
            return Err(ContentError::Unexpected(name));
        }
    }
    Ok(members)
}

#[cfg(test)]
#[path = "package_tests.rs"]
mod tests;
