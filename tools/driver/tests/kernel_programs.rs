//! The programs of `test/kernels`, and a check of all of them of which some are known to be
//! refused.

use crate::parallel;
use std::{fs, path::Path};
use stencil_driver::input::Input;

/// The programs, by name.
pub fn all() -> Vec<Input> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|e| e == "mlir"));
    let mut inputs = files.map(|file| Input::read(&file).unwrap()).collect::<Vec<_>>();
    inputs.sort_by(|one, two| one.name.cmp(&two.name));
    assert!(inputs.len() > 50);
    inputs
}

/// Checks each program. `refused`: those that are refused, with a part of the reason; no other is.
pub fn check(refused: &[(&str, &str)], one: impl Fn(&Input) -> Result<(), String> + Sync) {
    let inputs = all();
    let done = parallel::map(&inputs, one);
    let mut wrong = Vec::new();
    for (input, done) in inputs.iter().zip(done) {
        let known = refused.iter().find(|(name, _)| input.name.ends_with(&format!("{name}.mlir")));
        match (known, done) {
            (None, done) => wrong.extend(done.err()),
            (Some((_, why)), Err(said)) if said.contains(why) => {}
            (Some(known), done) => wrong.push(format!("{known:?}: {done:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
