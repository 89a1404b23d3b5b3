//! A pass and its tests belong together, by name.
//!
//! `passes/src/transforms/inline.rs` is tested by `test/passes/inline.mlir`, and
//! `lowering/src/gpu/demote_registers.rs` by `test/lowering/gpu/demote-registers.mlir`; what they
//! refuse by the same name with `-invalid`. A test whose name begins with no pass has lost its
//! subject.

use super::{Checkout, File};

/// Folders of passes and where their tests lie.
const FOLDERS: &[(&str, &str)] = &[
    ("passes/src/transforms", "test/passes"),
    ("passes/src/strategy", "test/passes"),
    ("passes/src/analysis", "test/passes"),
    ("lowering/src/sweep", "test/lowering/sweep"),
    ("lowering/src/gpu", "test/lowering/gpu"),
    ("lowering/src/nvvm", "test/lowering/nvvm"),
    ("lowering/src/ptx", "test/lowering/ptx"),
];

pub fn check(checkout: &mut Checkout) {
    let mut missing = Vec::new();
    for file in &checkout.files {
        let Some(tests) = tests_of(&file.path) else { continue };
        // A file that declares no pass serves one that does.
        if !file.text.contains("PassInfo = PassInfo {") {
            continue;
        }
        let name = format!("{tests}/{}", file.stem().replace('_', "-"));
        for wanted in wanted(file, &name) {
            if !checkout.has(&wanted) {
                missing.push((file.path.clone(), format!("has no test {wanted}")));
            }
        }
    }
    for (path, text) in missing {
        checkout.report("pass-test", &path, text);
    }
    orphans(checkout);
}

fn tests_of(path: &str) -> Option<&'static str> {
    let (folder, _) = path.rsplit_once('/')?;
    FOLDERS.iter().find(|(passes, _)| *passes == folder).map(|(_, tests)| *tests)
}

fn wanted(file: &File, name: &str) -> Vec<String> {
    let mut wanted = vec![format!("{name}.mlir")];
    if ["emit_error", "refuse("].iter().any(|call| file.text.contains(call)) {
        wanted.push(format!("{name}-invalid.mlir"));
    }
    wanted
}

/// Tests in a folder of pass tests whose name begins with no file of the passes.
fn orphans(checkout: &mut Checkout) {
    let mut orphans = Vec::new();
    for file in &checkout.files {
        let Some((folder, _)) = file.path.rsplit_once('/') else { continue };
        let mut sources = FOLDERS.iter().filter(|(_, tests)| *tests == folder).peekable();
        if file.extension() != "mlir" || sources.peek().is_none() {
            continue;
        }
        let subject = sources.any(|(passes, _)| {
            let stems = checkout.files.iter().filter(|source| in_folder(source, passes));
            stems.into_iter().any(|source| names(file.stem(), &source.stem().replace('_', "-")))
        });
        if !subject {
            orphans.push(file.path.clone());
        }
    }
    for path in orphans {
        checkout.report("pass-test", &path, "tests a pass that is not there".to_owned());
    }
}

fn in_folder(file: &File, folder: &str) -> bool {
    file.extension() == "rs" && file.path.rsplit_once('/').is_some_and(|(own, _)| own == folder)
}

fn names(test: &str, pass: &str) -> bool {
    test.strip_prefix(pass).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASS: &str = "//! A.\npub const A: PassInfo = PassInfo {};\n";

    #[test]
    fn a_pass_has_a_test_and_one_that_refuses_has_two() {
        let refusing = format!("{PASS}fn a() {{ refuse(op); }}\n");
        let mut checkout = Checkout::of(&[
            ("passes/src/transforms/split_all.rs", PASS),
            ("lowering/src/gpu/convert_stencil_to_gpu_threads.rs", &refusing),
            ("lowering/src/gpu/place_barriers.rs", PASS),
            ("lowering/src/gpu/no_pass_at_all.rs", "//! Serves others.\n"),
            ("test/lowering/gpu/place-barriers.mlir", ""),
        ]);
        check(&mut checkout);
        assert_eq!(
            checkout.lines(),
            [
                "lowering/src/gpu/convert_stencil_to_gpu_threads.rs:1: pass-test: \
                 has no test test/lowering/gpu/convert-stencil-to-gpu-threads-invalid.mlir",
                "lowering/src/gpu/convert_stencil_to_gpu_threads.rs:1: pass-test: \
                 has no test test/lowering/gpu/convert-stencil-to-gpu-threads.mlir",
                "passes/src/transforms/split_all.rs:1: pass-test: \
                 has no test test/passes/split-all.mlir",
            ]
        );
    }

    #[test]
    fn a_test_whose_pass_is_gone_is_found() {
        let mut checkout = Checkout::of(&[
            ("passes/src/transforms/split.rs", PASS),
            ("test/passes/split.mlir", ""),
            ("test/passes/split-invalid.mlir", ""),
            ("test/passes/splitting.mlir", ""),
            ("test/kernels/heat3d.mlir", ""),
        ]);
        check(&mut checkout);
        assert_eq!(
            checkout.lines(),
            ["test/passes/splitting.mlir:1: pass-test: tests a pass that is not there"]
        );
    }
}
