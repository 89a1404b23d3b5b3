//! The zip archive: members stored as they are, and a digest of all of it in the comment.

use super::{ContentError, sha256};
use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// The text in the comment before the digest.
const COMMENT_PREFIX: &str = "stencil package, sha256 ";
/// Length of a SHA-256 in hexadecimal.
const DIGEST_DIGITS: usize = 64;

/// An archive of these members.
pub(super) fn write(members: &BTreeMap<String, Vec<u8>>) -> zip::result::ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(name.as_str(), options)?;
        writer.write_all(content)?;
    }
    // The digest covers the comment's length, so the comment is set from the start.
    writer.set_comment(format!("{COMMENT_PREFIX}{}", "0".repeat(DIGEST_DIGITS)));
    let mut bytes = writer.finish()?.into_inner();
    let covered = bytes.len() - DIGEST_DIGITS;
    let digest = sha256(&bytes[..covered]);
    bytes[covered..].copy_from_slice(digest.as_bytes());
    Ok(bytes)
}

/// The digest of the whole file, as its end has it.
pub(super) fn digest(bytes: &[u8]) -> String {
    let begin = bytes.len().saturating_sub(DIGEST_DIGITS);
    String::from_utf8_lossy(&bytes[begin..]).into_owned()
}

/// Checks the digest of the whole file.
pub(super) fn check_digest(bytes: &[u8]) -> Result<(), ContentError> {
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

/// The members by name.
pub(super) fn read(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, ContentError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut members = BTreeMap::new();
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index)?;
        let name = member.name().to_owned();
        if member.compression() != CompressionMethod::Stored {
            return Err(ContentError::Compressed(name));
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
