//! Packages: round trips, and detection of damage.

use super::*;
use crate::samples;
use std::io::{self, Cursor};
use zip::ZipArchive;

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
    assert_eq!(package.code.manifest.digests, digests);
    let manifest = Manifest { digests: BTreeMap::new(), ..package.code.manifest.clone() };
    let stripped = Code { manifest, ..package.code.clone() };
    assert_eq!(Package { code: stripped, ..package.clone() }, samples::package());
    assert_eq!(package.to_bytes().unwrap(), bytes, "equal content gives equal bytes");
}

#[test]
fn other_zip_readers_see_the_members_in_order() {
    let bytes = samples::complete_package().to_bytes().unwrap();
    let archive = ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let names: Vec<&str> = archive.file_names().collect();
    assert_eq!(
        names,
        [
            "kernels.cubin",
            "kernels.ptx",
            "manifest.json",
            "plain/kernels.ll",
            "plain/kernels.ptx",
            "plain/manifest.json",
            "selftest/expected.json",
            "selftest/kernels.ptx",
            "selftest/manifest.json",
        ]
    );
}

#[test]
fn all_parts_come_back() {
    let bytes = samples::complete_package().to_bytes().unwrap();
    let package = Package::from_bytes(&bytes).unwrap();
    assert_eq!(package.plain.as_ref().unwrap().llvm_ir.as_deref(), Some("; ir\n"));
    assert_eq!(package.selftest.as_ref().unwrap().runs, selftest().runs);
    assert_eq!(package.to_bytes().unwrap(), bytes);
}

fn selftest() -> Selftest {
    samples::complete_package().selftest.unwrap()
}

#[test]
fn parts_of_another_program_are_refused() {
    let refusal = |package: &Package| package.to_bytes().unwrap_err().to_string();
    let mut package = samples::complete_package();
    package.plain.as_mut().unwrap().manifest.functions[0].name = "cold".to_owned();
    assert!(refusal(&package).ends_with("function 'heat' has no plain kernels"));

    let mut package = samples::complete_package();
    package.plain.as_mut().unwrap().manifest.functions[0].arguments[0].name = None;
    assert!(refusal(&package).ends_with("function 'heat' takes other arguments as plain kernels"));

    let with_run = |change: fn(&mut SelftestRun)| {
        let mut selftest = selftest();
        change(&mut selftest.runs[0]);
        refusal(&Package { selftest: Some(selftest), ..samples::package() })
    };
    let problem = with_run(|run| run.function = "cold".to_owned());
    assert!(problem.ends_with("function 'cold': there is no such function"), "{problem}");
    let problem = with_run(|run| run.scalars.retain(|position, _| *position != 3));
    assert!(problem.ends_with("argument 3 has no value of its kind"), "{problem}");
    let problem = with_run(|run| run.fields.extend([(9, String::new())]));
    assert!(problem.ends_with("argument 9 does not exist, there are 4"), "{problem}");
}

#[test]
fn any_changed_byte_is_noticed() {
    let (_, bytes) = written();
    for position in 0..bytes.len() {
        for flip in [0x01, 0x80] {
            let mut changed = bytes.clone();
            changed[position] ^= flip;
            let refused = Package::from_bytes(&changed);
            assert!(
                matches!(refused, Err(ContentError::Altered | ContentError::NoDigest)),
                "byte {position} of {} changed by {flip}",
                bytes.len()
            );
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
    assert!(matches!(Package::from_bytes(&longer), Err(ContentError::NoDigest)));
}

/// A valid archive with arbitrary members.
fn archive_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let owned = |(name, content): &(&str, &[u8])| ((*name).to_owned(), content.to_vec());
    archive::write(&members.iter().map(owned).collect()).unwrap()
}

#[test]
fn members_and_manifest_must_agree() {
    let manifest = |digests: &[(&str, &[u8])]| {
        let digests = digests.iter().map(|(name, content)| ((*name).to_owned(), sha256(content)));
        Manifest { digests: digests.collect(), ..samples::manifest() }.to_json()
    };
    let refusal = |members: &[(&str, &[u8])]| {
        Package::from_bytes(&archive_of(members)).unwrap_err().to_string()
    };
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
        "member 'kernels.ptx' is not UTF-8"
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
        "it is truncated or not a kernel package (the digest at its end is missing); \
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
    package.code.manifest.kernels.clear();
    let error = package.write(&path).unwrap_err();
    assert!(matches!(error, PackageError::NotWritable(_)), "{error}");
    assert!(!path.exists());
    let error = samples::package().write(&folder.path().join("no/such/folder.spk")).unwrap_err();
    assert!(
        matches!(&error, PackageError::Output(it) if it.error.kind() == io::ErrorKind::NotFound),
        "{error}"
    );
}
