//! Packages: round trips, and every damage found.

use super::*;
use crate::samples;

/// The sample as it is read back: with digests.
fn written() -> (Package, Vec<u8>) {
    let bytes = samples::package().to_bytes().unwrap();
    (Package::from_bytes(&bytes).unwrap(), bytes)
}

#[test]
fn a_package_comes_back() {
    let (package, bytes) = written();
    let digests = BTreeMap::from([
        ("kernels.cubin".to_owned(), sha256(&[0x7f, 0x45, 0, 1, 2])),
        ("kernels.ptx".to_owned(), sha256(b"// step\n")),
    ]);
    assert_eq!(package.manifest.digests, digests);
    let stripped = Manifest { digests: BTreeMap::new(), ..package.manifest.clone() };
    assert_eq!(Package { manifest: stripped, ..package.clone() }, samples::package());
    assert_eq!(package.to_bytes().unwrap(), bytes, "equal content gives equal bytes");
}

#[test]
fn other_zip_readers_see_the_members_in_order() {
    let package = Package { llvm_ir: Some("; ir".to_owned()), ..samples::package() };
    let bytes = package.to_bytes().unwrap();
    let archive = ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let names: Vec<&str> = archive.file_names().collect();
    assert_eq!(names, ["kernels.cubin", "kernels.ll", "kernels.ptx", "manifest.json"]);
}

#[test]
fn any_changed_byte_is_noticed() {
    let (_, bytes) = written();
    for position in 0..bytes.len() {
        for flip in [0x01, 0x80] {
            let mut changed = bytes.clone();
            changed[position] ^= flip;
            let refused = Package::from_bytes(&changed);
            assert!(refused.is_err(), "byte {position} of {} changed by {flip}", bytes.len());
        }
    }
}

#[test]
fn any_truncation_is_noticed() {
    let (_, bytes) = written();
    for length in 0..bytes.len() {
        let refused = Package::from_bytes(&bytes[..length]);
        assert!(matches!(refused, Err(ContentError::NoDigest)), "the first {length} bytes");
    }
    let mut longer = bytes;
    longer.push(b'0');
    assert!(Package::from_bytes(&longer).is_err());
}

/// An archive of these members that is whole, whatever it holds.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    write_archive(&members.iter().copied().collect()).unwrap()
}

#[test]
fn members_and_manifest_must_agree() {
    let manifest = |digests: &[(&str, &[u8])]| {
        let digests = digests.iter().map(|(name, content)| ((*name).to_owned(), sha256(content)));
        Manifest { digests: digests.collect(), ..samples::manifest() }.to_json()
    };
    let refusal =
        |members: &[(&str, &[u8])]| Package::from_bytes(&archive(members)).unwrap_err().to_string();
    let listed = manifest(&[(PTX, b"ptx")]);
    assert_eq!(
        refusal(&[(PTX, b"xtp"), (MANIFEST, listed.as_bytes())]),
        "member 'kernels.ptx' does not match its digest in the manifest"
    );
    assert_eq!(refusal(&[(MANIFEST, listed.as_bytes())]), "member 'kernels.ptx' is missing");
    assert_eq!(refusal(&[(PTX, b"ptx")]), "member 'manifest.json' is missing");
    assert_eq!(
        refusal(&[(PTX, b"ptx"), (CUBIN, b"?"), (MANIFEST, listed.as_bytes())]),
        "member 'kernels.cubin' does not match its digest in the manifest"
    );
    assert_eq!(
        refusal(&[(PTX, b"ptx"), ("readme", b""), (MANIFEST, listed.as_bytes())]),
        "member 'readme' is unknown or occurs twice"
    );
    let binary = manifest(&[(PTX, b"\xff")]);
    assert_eq!(
        refusal(&[(PTX, b"\xff"), (MANIFEST, binary.as_bytes())]),
        "member 'kernels.ptx' is no UTF-8 text"
    );
}

#[test]
fn wrong_files_have_clear_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heat.spk");
    let message = |path: &Path| Package::read(path).unwrap_err().to_string();
    assert!(message(&path).contains("heat.spk' cannot be read: "));
    fs::write(&path, "module {}").unwrap();
    assert!(message(&path).ends_with(
        "it is truncated or no kernel package (the digest at its end is missing); \
         copy it again, or compile it again"
    ));
}

#[test]
fn writing_replaces_the_file_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heat.spk");
    fs::write(&path, "old").unwrap();
    samples::package().write(&path).unwrap();
    assert_eq!(Package::read(&path).unwrap(), written().0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_wrong_package_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("heat.spk");
    let mut package = samples::package();
    package.manifest.kernels.clear();
    let error = package.write(&path).unwrap_err();
    assert!(matches!(error, PackageError::NotWritable(_)), "{error}");
    assert!(!path.exists());
    assert!(samples::package().write(&folder.path().join("no/such/folder.spk")).is_err());
}
