//! What a machine has of all that the compiler can use, and what each lack costs.
//!
//! Things are tried, not only looked for: a small program is compiled, its PTX assembled, the
//! driver started.

use crate::{
    DriverError,
    input::Input,
    levels,
    report::Chip,
    session::{Session, new_context},
    target::{self, ChosenBy, Target},
};
use serde::Serialize;
use std::{path::Path, process::Command, time::Instant};
use stencil_lowering::ptx::{self, libdevice, ptxas};
use stencil_model::target::Architecture;
use stencil_runtime::{cuda, energy::EnergyMeter};

/// A program with everything in it that a kernel needs.
const PROGRAM: &str = include_str!("doctor/program.mlir");
/// A program that needs libdevice.
const ELEMENTARY: &str = include_str!("doctor/elementary.mlir");

/// One part of the surroundings.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What it is.
    pub part: &'static str,
    /// Whether it is there and works.
    pub works: bool,
    /// What was found, or why it does not work.
    pub found: String,
    /// What one has to do without; none where it works.
    pub costs: Option<&'static str>,
    /// How to get it; none where it works.
    pub remedy: Option<&'static str>,
}

/// What is to be said of a part that is not there.
#[derive(Clone, Copy)]
struct Part {
    name: &'static str,
    costs: &'static str,
    remedy: &'static str,
}

impl Part {
    fn finding(self, result: Result<String, String>) -> Finding {
        let works = result.is_ok();
        let (Ok(found) | Err(found)) = result;
        let lack = |text| (!works).then_some(text);
        let (costs, remedy) = (lack(self.costs), lack(self.remedy));
        Finding { part: self.name, works, found, costs, remedy }
    }
}

const COMPILER: Part = Part {
    name: "compiler",
    costs: "nothing can be compiled",
    remedy: "install the LLVM that the program was built with, or build it again: ./x setup",
};
const ASSEMBLER: Part = Part {
    name: "assembler",
    costs: "reports have no registers and no spills, packages have no machine code: the driver \
            assembles PTX when a package is loaded",
    remedy: "./x setup installs ptxas; or put it on the PATH, or name it in STENCIL_PTXAS",
};
const LIBDEVICE: Part = Part {
    name: "libdevice",
    costs: "kernels that call exp, log, sin, cos, tan, pow, tanh and their like are refused",
    remedy: "./x setup installs it; it comes with CUDA (CUDA_HOME), too; or name the file in \
             STENCIL_LIBDEVICE",
};
const DRIVER: Part = Part {
    name: "driver",
    costs: "programs run on the interpreter and on the emulator only",
    remedy: "install NVIDIA's driver; packages can also be copied to a machine that has one, with \
             stencil-run",
};
const DEVICE: Part = Part {
    name: "GPU",
    costs: "programs run on the interpreter and on the emulator only, and '--target native' names \
            nothing",
    remedy: "use a machine with a GPU of compute capability 8.0, 8.9, 9.0 or 10.0",
};
const ENERGY: Part = Part {
    name: "energy",
    costs: "'stencil-run --energy' measures nothing",
    remedy: "install NVIDIA's management library, which comes with the driver",
};

/// Looks at everything, in the order in which a compilation meets it.
pub fn examine() -> Vec<Finding> {
    let compiled = compile();
    let ptx = compiled.as_ref().ok().map(|(_, ptx)| ptx.clone());
    let mut findings = vec![
        COMPILER.finding(compiled.map(|(found, _)| found)),
        ASSEMBLER.finding(assembler(ptx.as_deref())),
        LIBDEVICE.finding(elementary_functions()),
    ];
    match cuda::list_devices() {
        Err(error) => findings.push(DRIVER.finding(Err(error.to_string()))),
        Ok(devices) => {
            let version = devices.first().map(|device| device.driver_version);
            let version = version.map(|(major, minor)| format!("takes CUDA {major}.{minor}"));
            findings.push(DRIVER.finding(Ok(version.unwrap_or("it starts".to_owned()))));
            findings.extend(devices.iter().map(|device| DEVICE.finding(known(device))));
            if devices.is_empty() {
                findings.push(DEVICE.finding(Err("the driver lists none".to_owned())));
            } else {
                findings.push(ENERGY.finding(energy()));
            }
        }
    }
    findings
}

/// Whether the compiler itself works, without which the rest is of no use.
pub fn compiler_works(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.works || finding.part != COMPILER.name)
}

/// What there is to say of the compiler, and PTX that it made.
fn compile() -> Result<(String, String), String> {
    let start = Instant::now();
    let ptx = ptx_of(PROGRAM).map_err(|error| error.to_string())?;
    let (version, llvm) = (env!("CARGO_PKG_VERSION"), ptx::llvm_version());
    let seconds = start.elapsed().as_secs_f64();
    let default = target::DEFAULT;
    Ok((
        format!(
            "{version} on LLVM {llvm}; compiled a small program to PTX for {default} in \
             {seconds:.2} s"
        ),
        ptx,
    ))
}

fn ptx_of(program: &str) -> Result<String, DriverError> {
    let input = Input { name: "doctor.mlir".to_owned(), text: program.to_owned() };
    let context = new_context();
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None)?);
    let module = session.parse()?;
    levels::ptx(&session, &module)
}

/// Whether a kernel that calls libdevice becomes PTX, by the file that is found.
fn elementary_functions() -> Result<String, String> {
    let path = libdevice::find().ok_or("there is no libdevice.10.bc")?;
    match ptx_of(ELEMENTARY) {
        Ok(_) => Ok(format!("{}; compiled a call of exp to PTX", path.display())),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn assembler(ptx: Option<&str>) -> Result<String, String> {
    let path = ptxas::find().ok_or("there is no ptxas")?;
    let version = version(&path).unwrap_or("of unknown version".to_owned());
    let place = format!("ptxas {version}, {}", path.display());
    let Some(ptx) = ptx else { return Ok(place) };
    let target = Architecture::parse(target::DEFAULT).map_err(|error| error.to_string())?;
    let assembled = ptxas::assemble(&path, ptx, target);
    let assembled = assembled.map_err(|error| format!("{place}: {error}"))?;
    Ok(format!("{place}; the small program has {} bytes of machine code", assembled.cubin.len()))
}

/// The version that a program of CUDA's tells, as `V13.0.88`.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().find(|word| word.starts_with('V')).map(str::to_owned)
}

/// What a device is, if kernels can be made for it.
fn known(device: &cuda::DeviceSummary) -> Result<String, String> {
    let (major, minor) = device.compute_capability;
    let (name, ordinal) = (&device.name, device.ordinal);
    let gibibytes = device.memory_bytes as f64 / f64::from(1 << 30);
    let found = format!("{name} (device {ordinal}, {major}.{minor}, {gibibytes:.0} GiB)");
    let target = Target::on_device(None, ordinal, None);
    match target.map_err(|error| format!("{found}: {error}"))? {
        target if target.chosen_by == ChosenBy::Device => {
            let chip = target.product.described();
            Ok(format!("{found}, target {}, plans for {chip}", target.name()))
        }
        target => {
            let chip = Chip::of(&target).text().unwrap_or_default();
            Ok(format!("{found}, target {}; {chip}", target.name()))
        }
    }
}

fn energy() -> Result<String, String> {
    let bus = cuda::bus_id(0).map_err(|error| error.to_string())?;
    let meter = EnergyMeter::open(&bus).map_err(|error| error.to_string())?;
    let joules = meter.joules().map_err(|error| error.to_string())?;
    Ok(format!("device 0 has a counter; it reads {joules:.0} J"))
}

/// The findings as text for people.
pub fn text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = if finding.works { "works" } else { "lacks" };
        text += &format!("{:<10} {mark}  {}\n", finding.part, finding.found);
        for more in [finding.costs, finding.remedy].into_iter().flatten() {
            text += &format!("{:<17} {more}\n", "");
        }
    }
    text
}

/// The findings as JSON, a list.
pub fn json(findings: &[Finding]) -> String {
    let mut text = serde_json::to_string_pretty(findings).expect("findings are texts and flags");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_tells_what_it_costs_and_how_to_mend_it() {
        let lack = ASSEMBLER.finding(Err("there is no ptxas".to_owned()));
        let found = ASSEMBLER.finding(Ok("ptxas V13.0.88".to_owned()));
        let text = text(&[found.clone(), lack.clone()]);
        assert_eq!(text.lines().count(), 4);
        assert!(text.starts_with("assembler  works  ptxas V13.0.88\n"), "{text}");
        assert!(text.contains("reports have no registers"), "{text}");
        assert!(compiler_works(&[found, lack]));
        assert!(!compiler_works(&[COMPILER.finding(Err("no".to_owned()))]));
    }

    #[test]
    fn this_machine_compiles() {
        let (found, ptx) = compile().unwrap();
        assert!(found.contains("LLVM 22"), "{found}");
        assert!(ptx.contains(".entry"), "{ptx}");
    }
}
