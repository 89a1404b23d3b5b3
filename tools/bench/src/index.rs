//! What a folder of packages holds: `index.json`, written where packages are built, read where
//! they are measured.

use crate::{kernels::Element, sizes::Version};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The name of the file.
pub const FILE: &str = "index.json";

/// The form that this program reads and writes.
pub const FORMAT: u32 = 2;

/// Everything that is to be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// The form of this file, [`FORMAT`].
    pub format: u32,
    /// What the packages are compiled for: `sm_90a`.
    pub target: String,
    /// The measurements, in the order of the papers.
    pub entries: Vec<Entry>,
}

/// One measurement that is to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The benchmark.
    pub kernel: String,
    /// The type of its cells.
    pub r#type: Element,
    /// What made the kernels, and for which sizes: see [`sizes`](crate::sizes).
    pub version: String,
    /// The plan, in the words of `--plan`; `default` for the compiler's own.
    pub plan: String,
    /// Registers that the assembler was allowed, if there was a cap.
    pub cap: Option<u32>,
    /// Points along each dimension, slowest first.
    pub size: Vec<u64>,
    /// Time steps of a run.
    pub steps: u64,
    /// Values of scalar arguments, by name.
    pub scalars: BTreeMap<String, f64>,
    /// The package's file, in the folder of the index. Its plain kernels are what results are
    /// compared with.
    pub package: String,
    /// SHA-256 of that file.
    pub package_sha256: String,
    /// SHA-256 of the program's text.
    pub program_sha256: String,
    /// Milliseconds that the compiler predicts for the run, where it was asked.
    pub predicted_ms: Option<f64>,
    /// CUDA source that takes the place of the package's kernels.
    pub cuda: Option<CudaSource>,
}

/// CUDA written by hand: one kernel in the place of the program's only one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CudaSource {
    /// The file, in the folder of the index.
    pub file: String,
    /// SHA-256 of everything that the machine code follows from: files and definitions.
    pub sha256: String,
    /// What is defined on the command line, as `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Further options of the compiler.
    pub options: Vec<String>,
    /// The kernel's name.
    pub entry: String,
    /// Blocks, x first.
    pub grid: [u32; 3],
    /// Threads of a block, x first.
    pub block: [u32; 3],
}

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum IndexError {
    #[error("'{}' cannot be read: {error}; `bench build -o` makes such a folder", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("'{}' is no index of packages: {message}", path.display())]
    Broken { path: PathBuf, message: String },
    #[error(
        "'{}' has form {found}, this program reads form {FORMAT}; build it again",
        path.display()
    )]
    Form { path: PathBuf, found: u32 },
}

impl Index {
    /// Reads the index of a folder.
    pub fn read(folder: &Path) -> Result<Index, IndexError> {
        /// What every form has.
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let path = folder.join(FILE);
        let text = fs::read_to_string(&path)
            .map_err(|error| IndexError::Unreadable { path: path.clone(), error })?;
        let broken = |error: serde_json::Error| IndexError::Broken {
            path: path.clone(),
            message: error.to_string(),
        };
        let Form { format } = serde_json::from_str(&text).map_err(broken)?;
        if format != FORMAT {
            return Err(IndexError::Form { path, found: format });
        }
        serde_json::from_str(&text).map_err(broken)
    }

    /// The index as text.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self);
        json.expect("an index is plain data with text keys") + "\n"
    }
}

impl Entry {
    /// What identifies the machine code: the package, or the CUDA source in its place.
    pub fn code_sha256(&self) -> &str {
        self.cuda.as_ref().map_or(&self.package_sha256, |cuda| &cuda.sha256)
    }

    /// What messages and filters call it: `j3d7pt-f64-plain-points=4`.
    pub fn name(&self) -> String {
        format!("{}-{}-{}-{}", self.kernel, self.r#type, self.version, self.plan)
    }

    /// Whether two entries run the same program on the same input. Pipelines may give sums
    /// different forms, so that what is right for one version is not so for another, bit for bit.
    pub fn same_program(&self, other: &Entry) -> bool {
        (&self.kernel, self.r#type, &self.size, self.steps)
            == (&other.kernel, other.r#type, &other.size, other.steps)
            && self.program_sha256 == other.program_sha256
            && Version::from(self.version.as_str()).pipeline
                == Version::from(other.version.as_str()).pipeline
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn entry(kernel: &str, plan: &str) -> Entry {
        Entry {
            kernel: kernel.to_owned(),
            r#type: Element::F64,
            version: "plain".to_owned(),
            plan: plan.to_owned(),
            cap: None,
            size: vec![8, 8],
            steps: 4,
            scalars: BTreeMap::new(),
            package: format!("{kernel}.spk"),
            package_sha256: "0".repeat(64),
            program_sha256: "1".repeat(64),
            predicted_ms: None,
            cuda: None,
        }
    }

    #[test]
    fn an_index_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index {
            format: FORMAT,
            target: "sm_90a".to_owned(),
            entries: vec![entry("heat", "default"), entry("heat", "points=2")],
        };
        fs::write(folder.path().join(FILE), index.to_json()).unwrap();
        assert_eq!(Index::read(folder.path()).unwrap(), index);
        index.format = 7;
        fs::write(folder.path().join(FILE), index.to_json()).unwrap();
        let error = Index::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("has form 7, this program reads form 2"), "{error}");
        let error = Index::read(&folder.path().join("no")).unwrap_err().to_string();
        assert!(error.contains("`bench build -o` makes such a folder"), "{error}");
    }

    #[test]
    fn plans_share_a_program_and_sizes_do_not() {
        let (one, two) = (entry("heat", "points=1"), entry("heat", "points=2"));
        assert!(one.same_program(&two));
        assert!(!one.same_program(&Entry { size: vec![8, 9], ..two.clone() }));
        assert!(!one.same_program(&Entry { version: "reorder".to_owned(), ..two.clone() }));
        assert!(one.same_program(&Entry { version: "plain-run-time".to_owned(), ..two.clone() }));
        assert!(!one.same_program(&entry("poisson", "points=1")));
        assert_eq!(two.name(), "heat-f64-plain-points=2");
    }
}
