//! Replaces a package's kernels by edited PTX.

use super::Code;
use crate::manifest::Kernel;
use std::collections::BTreeMap;

/// Why PTX cannot replace a package's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditedPtxError {
    /// A launched kernel is missing.
    #[error(
        "the PTX has no entry '{kernel}', which the program launches; it has {found}. Edit the \
         text of 'stencilc compile --emit=ptx' for the same program, plan and target"
    )]
    NoKernel {
        /// The kernel.
        kernel: String,
        /// The entries that there are.
        found: String,
    },
    /// A kernel takes another number of parameters than it is given.
    #[error("entry '{kernel}' of the PTX takes {found} parameters, the program gives {expected}")]
    Parameters {
        /// The kernel.
        kernel: String,
        /// What the PTX declares.
        found: usize,
        /// What the host programs give.
        expected: usize,
    },
}

impl Code {
    /// Replaces the PTX. Machine code, LLVM IR and the assembler's report are dropped, because they
    /// belong to other kernels.
    ///
    /// # Errors
    ///
    /// If a kernel is missing from the PTX, or takes other parameters.
    pub fn replace_ptx(&mut self, ptx: String) -> Result<(), EditedPtxError> {
        let entries = entries(&ptx);
        for Kernel { name, parameters, .. } in &self.manifest.kernels {
            let kernel = name.clone();
            match entries.get(name.as_str()) {
                None => {
                    let found = entries.keys().map(|entry| format!("'{entry}'"));
                    let found = found.collect::<Vec<_>>().join(", ");
                    let found = if found.is_empty() { "none".to_owned() } else { found };
                    return Err(EditedPtxError::NoKernel { kernel, found });
                }
                Some(found) if *found != parameters.len() => {
                    let (found, expected) = (*found, parameters.len());
                    return Err(EditedPtxError::Parameters { kernel, found, expected });
                }
                Some(_) => {}
            }
        }
        for kernel in &mut self.manifest.kernels {
            kernel.resources = None;
        }
        self.ptx = ptx;
        self.cubin = None;
        self.llvm_ir = None;
        Ok(())
    }
}

/// The entries of PTX, and how many parameters each declares.
fn entries(ptx: &str) -> BTreeMap<&str, usize> {
    let mut entries = BTreeMap::new();
    for text in ptx.split(".entry").skip(1) {
        // The parameters end where attributes or the body begin.
        let Some((head, _)) = text.split_once('{') else { continue };
        let (name, parameters) = match head.split_once('(') {
            Some((name, rest)) => (name, rest.split(')').next().unwrap_or_default()),
            None => (head.split_whitespace().next().unwrap_or_default(), ""),
        };
        entries.insert(name.trim(), parameters.matches(".param").count());
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// PTX with entries of these parameters.
    fn ptx(entries: &[(&str, usize)]) -> String {
        let entry = |(name, count): &(&str, usize)| {
            let parameters = (0..*count).map(|at| format!("\t.param .u64 {name}_param_{at}"));
            let parameters = parameters.collect::<Vec<_>>().join(",\n");
            format!(".visible .entry {name}(\n{parameters}\n)\n.maxntid 128\n{{\n\tret;\n}}\n")
        };
        entries.iter().map(entry).collect()
    }

    #[test]
    fn edited_kernels_take_the_place_of_all_that_was_made() {
        let mut code = samples::package().code;
        let kernels = code.manifest.kernels.clone();
        let all = kernels.iter().map(|kernel| (kernel.name.as_str(), kernel.parameters.len()));
        let edited = ptx(&all.collect::<Vec<_>>());
        assert!(code.cubin.is_some());
        assert_eq!(code.replace_ptx(edited.clone()), Ok(()));
        assert_eq!((code.ptx, code.cubin, code.llvm_ir), (edited, None, None));
        assert!(code.manifest.kernels.iter().all(|kernel| kernel.resources.is_none()));
    }

    #[test]
    fn kernels_that_are_gone_or_take_something_else_are_refused() {
        let mut code = samples::package().code;
        let before = code.clone();
        let kernel = before.manifest.kernels[0].clone();
        let expected = kernel.parameters.len();
        let none = code.replace_ptx("// nothing".to_owned()).unwrap_err();
        assert!(none.to_string().contains("it has none"), "{none}");
        let other = code.replace_ptx(ptx(&[("other", 1)])).unwrap_err();
        assert!(other.to_string().contains("it has 'other'"), "{other}");
        let more = code.replace_ptx(ptx(&[(&kernel.name, expected + 1)]));
        let (kernel, found) = (kernel.name, expected + 1);
        assert_eq!(more, Err(EditedPtxError::Parameters { kernel, found, expected }));
        assert_eq!(code, before);
    }
}
