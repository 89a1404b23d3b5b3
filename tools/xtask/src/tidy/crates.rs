//! Which crate may use which: the direction of dependencies; and which targets have no tests.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Checkout;
use crate::repository::Repository;

const RULE: &str = "dependency";
const UNTESTED: &str = "untested";

/// What a crate of ours may use of ours, one crate a line; a crate without a line is a finding.
const MAY_USE: &[(&str, &[&str])] = &[
    ("stencil-model", &[]),
    ("stencil-code", &[]),
    ("stencil-trees", &["stencil-code"]),
    ("stencil-demotion", &["stencil-code", "stencil-model"]),
    ("stencil-predictor", &["stencil-model"]),
    // Those who have faults; who plants them is a test.
    ("stencil-faults", &[]),
    ("stencil-fusion", &[]),
    ("stencil-runtime", &[]),
    ("stencil-c", &["stencil-runtime"]),
    ("stencil-launcher", &["stencil-runtime"]),
    ("stencil-emulator", &[]),
    ("stencil-emulated-driver", &["stencil-emulator", "stencil-model", "stencil-runtime"]),
    ("stencil-dialects", &["stencil-model"]),
    ("stencil-interpreter", &["stencil-dialects"]),
    ("stencil-import", &["stencil-dialects"]),
    (
        "stencil-passes",
        &["stencil-code", "stencil-dialects", "stencil-faults", "stencil-fusion", "stencil-model"],
    ),
    (
        "stencil-lowering",
        &[
            "stencil-code",
            "stencil-demotion",
            "stencil-dialects",
            "stencil-faults",
            "stencil-model",
            "stencil-passes",
            "stencil-runtime",
            "stencil-trees",
        ],
    ),
    (
        "stencil-driver",
        &[
            "stencil-code",
            "stencil-dialects",
            "stencil-emulator",
            "stencil-import",
            "stencil-interpreter",
            "stencil-launcher",
            "stencil-lowering",
            "stencil-model",
            "stencil-passes",
            "stencil-predictor",
            "stencil-runtime",
            "stencil-tuning",
        ],
    ),
    ("stencil-bench", &["stencil-model", "stencil-predictor", "stencil-runtime"]),
    (
        "stencil-bench-build",
        &[
            "stencil-bench",
            "stencil-driver",
            "stencil-model",
            "stencil-predictor",
            "stencil-runtime",
        ],
    ),
    ("stencil-fuzz", &["stencil-model"]),
    ("stencil-lsp-server", &["stencil-dialects", "stencil-driver"]),
    ("stencil-plugin", &["stencil-dialects", "stencil-driver"]),
    ("stencil-opt", &["stencil-dialects", "stencil-driver", "stencil-passes"]),
    ("stencil-run", &["stencil-runtime", "stencil-tuning"]),
    ("stencil-run-mpi", &["stencil-run", "stencil-runtime"]),
    ("stencil-translate", &["stencil-dialects", "stencil-driver", "stencil-import"]),
    ("stencil-tuning", &["stencil-model"]),
    ("stencilc", &["stencil-driver", "stencil-runtime", "stencil-tuning"]),
    ("xtask", &[]),
];

/// Crates that build in seconds, without LLVM, tests included.
const WITHOUT_LLVM: &[&str] = &[
    "stencil-faults",
    "stencil-fusion",
    "stencil-model",
    "stencil-code",
    "stencil-trees",
    "stencil-demotion",
    "stencil-predictor",
    "stencil-runtime",
    "stencil-c",
    "stencil-bench",
    "stencil-fuzz",
    "stencil-launcher",
    "stencil-run",
    "stencil-run-mpi",
    "stencil-tuning",
    "xtask",
];
const LLVM: &[&str] = &["melior", "mlir-sys", "inkwell", "llvm-sys", "tblgen"];

/// A crate of ours, as its manifest has it.
pub struct Crate {
    name: String,
    manifest: String,
    dependencies: Vec<Dependency>,
    /// Roots of the targets that `test = false` keeps from being built once more for tests.
    untested: Vec<String>,
}

struct Dependency {
    name: String,
    for_tests: bool,
}

/// The crates of the workspace, from cargo itself.
pub fn read(repository: &Repository) -> Result<Vec<Crate>> {
    let mut cargo = repository.cargo(["metadata", "--no-deps", "--format-version=1"]);
    let output = cargo.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let root = format!("{}/", repository.root.display());
    let packages = metadata["packages"].as_array().context("cargo lists packages")?;
    packages.iter().map(|package| read_crate(package, &root)).collect()
}

fn read_crate(package: &Value, root: &str) -> Result<Crate> {
    let text = |value: &Value| value.as_str().map(str::to_owned).context("cargo gives a text");
    let manifest = text(&package["manifest_path"])?;
    let dependencies = package["dependencies"].as_array().context("cargo lists dependencies")?;
    let below = |path: String| path.strip_prefix(root).unwrap_or(&path).to_owned();
    let targets = package["targets"].as_array().context("cargo lists targets")?.iter();
    let untested = targets.filter(|it| it["test"] == false && it["kind"][0] != "custom-build");
    Ok(Crate {
        name: text(&package["name"])?,
        manifest: below(manifest),
        untested: untested.map(|it| Ok(below(text(&it["src_path"])?))).collect::<Result<_>>()?,
        dependencies: dependencies
            .iter()
            .map(|dependency| {
                let for_tests = dependency["kind"] == "dev";
                Ok(Dependency { name: text(&dependency["name"])?, for_tests })
            })
            .collect::<Result<_>>()?,
    })
}

pub fn check(checkout: &mut Checkout, crates: &[Crate]) {
    let may_use: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    let ours = |name: &str| may_use.contains_key(name) || name.starts_with("stencil");
    for member in crates {
        let name = member.name.as_str();
        let Some(allowed) = may_use.get(name) else {
            let text = format!("'{name}' has no line in the table of tidy/crates.rs");
            checkout.report(RULE, &member.manifest, text);
            continue;
        };
        for Dependency { name: other, for_tests } in &member.dependencies {
            if WITHOUT_LLVM.contains(&name) && LLVM.contains(&other.as_str()) {
                let text = format!("'{name}' builds without LLVM and must not use '{other}'");
                checkout.report(RULE, &member.manifest, text);
            }
            // A test may drive a crate from above; what ships may not.
            if ours(other) && !for_tests && !allowed.contains(&other.as_str()) {
                let text = format!("'{name}' must not use '{other}'");
                checkout.report(RULE, &member.manifest, text);
            }
        }
    }
}

/// A test in a target that is not built for tests would never run. Such a target is one file, so
/// that there is no other place for a test.
pub fn check_untested(checkout: &mut Checkout, crates: &[Crate]) {
    for root in crates.iter().flat_map(|member| &member.untested) {
        let file = checkout.files.iter().find(|file| file.path == *root);
        let text = file.map_or("", |file| file.text.as_str());
        let tests = |line: &str| line.trim_start().starts_with("#[test]");
        let modules = |line: &str| line.starts_with("mod ") || line.starts_with("pub mod ");
        if text.lines().any(|line| tests(line) || modules(line)) {
            let text = "has a test or a module, and its target 'test = false' in the manifest";
            checkout.report(UNTESTED, root, text.to_owned());
        }
    }
}

/// A permission that a crate does not need would let it grow in a direction that was not decided.
pub fn check_unused(checkout: &mut Checkout, crates: &[Crate]) {
    check_table(checkout, MAY_USE, crates);
}

fn check_table(checkout: &mut Checkout, table: &[(&str, &[&str])], crates: &[Crate]) {
    for (name, allowed) in table {
        let Some(member) = crates.iter().find(|member| member.name == *name) else { continue };
        let uses = |other: &str| member.dependencies.iter().any(|one| one.name == other);
        for other in allowed.iter().filter(|other| !uses(other)) {
            let text = format!("'{name}' may use '{other}' by tidy/crates.rs, and does not");
            checkout.report(RULE, &member.manifest, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, dependencies: &[(&str, bool)]) -> Crate {
        Crate {
            name: name.to_owned(),
            manifest: format!("{name}/Cargo.toml"),
            dependencies: dependencies
                .iter()
                .map(|&(name, for_tests)| Dependency { name: name.to_owned(), for_tests })
                .collect(),
            untested: Vec::new(),
        }
    }

    #[test]
    fn targets_that_are_not_built_for_tests_have_none() {
        let mut checkout = Checkout::of(&[
            ("a.rs", "fn main() {}"),
            ("b.rs", "mod tests {\n    #[test]\n    fn it() {}\n}"),
            ("c.rs", "mod other;"),
            ("d.rs", "mod other;"),
        ]);
        let untested = ["a.rs", "b.rs", "c.rs"].map(str::to_owned).to_vec();
        check_untested(&mut checkout, &[Crate { untested, ..member("a", &[]) }]);
        let found = |path: &str| {
            format!(
                "{path}:1: untested: \
                 has a test or a module, and its target 'test = false' in the manifest"
            )
        };
        assert_eq!(checkout.lines(), [found("b.rs"), found("c.rs")]);
    }

    #[test]
    fn the_direction_is_held() {
        let mut checkout = Checkout::of(&[]);
        check(
            &mut checkout,
            &[
                member("stencil-model", &[("serde", false), ("stencil-passes", false)]),
                member("stencil-passes", &[("stencil-model", false), ("melior", false)]),
                member("stencil-emulator", &[("stencil-interpreter", false)]),
                member("stencil-fuzz", &[("stencil-driver", true)]),
                member("stencil-runtime", &[("llvm-sys", true)]),
                member("stencil-utopia", &[]),
            ],
        );
        assert_eq!(
            checkout.lines(),
            [
                "stencil-emulator/Cargo.toml:1: dependency: \
                 'stencil-emulator' must not use 'stencil-interpreter'",
                "stencil-model/Cargo.toml:1: dependency: \
                 'stencil-model' must not use 'stencil-passes'",
                "stencil-runtime/Cargo.toml:1: dependency: \
                 'stencil-runtime' builds without LLVM and must not use 'llvm-sys'",
                "stencil-utopia/Cargo.toml:1: dependency: \
                 'stencil-utopia' has no line in the table of tidy/crates.rs",
            ]
        );
    }

    #[test]
    fn the_table_names_only_crates_that_it_has() {
        for (name, allowed) in MAY_USE {
            for other in *allowed {
                assert!(MAY_USE.iter().any(|(known, _)| known == other), "{name} uses {other}");
            }
        }
    }

    #[test]
    fn permissions_are_needed() {
        let mut checkout = Checkout::of(&[]);
        let table: &[(&str, &[&str])] = &[("a", &["b", "c"]), ("gone", &["b"])];
        check_table(&mut checkout, table, &[member("a", &[("c", false)])]);
        assert_eq!(
            checkout.lines(),
            ["a/Cargo.toml:1: dependency: 'a' may use 'b' by tidy/crates.rs, and does not"]
        );
    }
}
