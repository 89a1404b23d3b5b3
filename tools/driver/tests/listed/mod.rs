//! Machine code as text, where there are the programs to make and to list it.

use std::{fs, path::PathBuf, process::Command};
use stencil_driver::session::Session;
use stencil_lowering::ptx::ptxas;
use stencil_runtime::manifest::Resources;

/// The assembler and the program that lists its output, if both are there.
fn tools() -> Option<(PathBuf, PathBuf)> {
    let ptxas = ptxas::find()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(ptxas.parent().map(PathBuf::from));
    let nvdisasm = folders.find_map(|folder| {
        let program = folder.join("nvdisasm");
        program.is_file().then_some(program)
    });
    Some((ptxas, nvdisasm?))
}

/// The listing of a kernel in PTX, and what it takes; none without the programs.
pub fn listed(session: &Session, ptx: &str, kernel: &str) -> Option<(Vec<String>, Resources)> {
    let (ptxas, nvdisasm) = tools()?;
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("kernels.cubin");
    let mut assembled = session.assemble(&ptxas, ptx).unwrap();
    fs::write(&cubin, assembled.cubin).unwrap();
    let listed = Command::new(nvdisasm).arg("-c").arg(cubin).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let text = String::from_utf8(listed.stdout).unwrap();
    let lines = section(&text, &format!(".section\t.text.{kernel},"), ".section\t");
    let lines = lines.into_iter().map(str::to_owned).collect();
    Some((lines, assembled.resources.remove(kernel).expect("the kernel is assembled")))
}

/// The lines after the one with `head`, up to the next with `end`.
pub fn section<'t>(text: &'t str, head: &str, end: &str) -> Vec<&'t str> {
    let lines = text.lines().skip_while(|line| !line.contains(head)).skip(1);
    lines.take_while(|line| !line.contains(end)).collect()
}
