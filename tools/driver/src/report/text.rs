//! The report for people: one screen, however many kernels there are.

use super::{Decision, KernelReport, Report, RunSection, Verification};
use crate::{emulated::Shared, verification::SelfTestable, verify};
use std::fmt::Write;

/// Kernels that are shown at length; more of them get a line each.
const KERNELS_AT_LENGTH: usize = 3;
/// Kernels that are listed, those with the most points, with a line for the plan where it is
/// another; the rest is counted. The kernel with the most points has the reason of its plan too.
const KERNELS_MAX: usize = 8;

/// The report as text.
pub fn text(report: &Report) -> String {
    let mut out = Lines::default();
    let function = report.function.as_ref().map_or(String::new(), |name| format!(", '{name}'"));
    let code = match report.kernels.is_empty() {
        true => String::new(),
        false => format!(", {} with PTX {}", report.target, report.ptx_version),
    };
    out.line("program", format_args!("{}{function}{code}", report.program));
    if let Some(chip) = report.chip.text() {
        out.line("chip", format_args!("{chip}"));
    }
    kernels(report, &mut out);
    if let Some(fit) = &report.demotion {
        out.line("demotion", format_args!("{}", fit.why));
    }
    if let Some(assembler) = report.assembler.as_ref().filter(|found| found.status != "used") {
        match assembler.status {
            "no PTX" => out.line("no PTX", format_args!("{}", assembler.message)),
            status => out.line("ptxas", format_args!("{status}: {}", assembler.message)),
        }
    }
    for test in &report.self_tests {
        self_test(test, &mut out);
    }
    stages(report, &mut out);
    if let Some(run) = &report.run {
        run_lines(run, &mut out);
    }
    for path in &report.outputs {
        out.line("wrote", format_args!("{path}"));
    }
    if let Some(found) = &report.verification {
        verification(found, &mut out);
    }
    out.0
}

fn self_test(test: &SelfTestable, out: &mut Lines) {
    let extents = test.extents.iter().flatten().map(i64::to_string).collect::<Vec<_>>().join("x");
    match &test.why_not {
        None => out.line("verify", format_args!("plain kernels, and a self-test at {extents}")),
        Some(why) => out.line(
            "verify",
            format_args!("plain kernels; no self-test of '{}': {why}", test.function),
        ),
    }
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    /// A line under a heading; lines of one heading are told apart by an empty one.
    fn line(&mut self, heading: &str, text: std::fmt::Arguments) {
        let _ = writeln!(self.0, "{heading:<9} {text}");
    }
}

fn kernels(report: &Report, out: &mut Lines) {
    if report.kernels.len() <= KERNELS_AT_LENGTH {
        for kernel in &report.kernels {
            at_length(kernel, out);
            if let Some(decided) = own_decision(kernel, &report.kernels) {
                out.line("plan", format_args!("{}", decided.plan));
                out.line("", format_args!("{}", decided.why));
            }
        }
        return;
    }
    let largest = report.kernels.iter().map(|kernel| kernel.points).max();
    let largest = report.kernels.iter().position(|kernel| Some(kernel.points) == largest);
    for (position, kernel) in largest_kernels(&report.kernels) {
        let registers = match &kernel.resources {
            Some(resources) => match resources.spill_store_bytes {
                0 => format!(", {} registers", resources.registers),
                bytes => format!(", {} registers, spills {bytes} bytes", resources.registers),
            },
            None => String::new(),
        };
        let (grid, block) = (extents(kernel.grid), extents(kernel.block));
        let points = kernel.points;
        out.line(
            "kernel",
            format_args!("{}: grid {grid}, block {block}, {points} points{registers}", kernel.name),
        );
        if let Some(decided) = own_decision(kernel, &report.kernels) {
            out.line("plan", format_args!("{}", decided.plan));
            if Some(position) == largest {
                out.line("", format_args!("{}", decided.why));
            }
        }
    }
    if let Some(rest) = report.kernels.len().checked_sub(KERNELS_MAX).filter(|rest| *rest > 0) {
        out.line("", format_args!("and {rest} more kernels; --report=FILE.json has them all"));
    }
}

/// The kernels with the most points, in their order.
fn largest_kernels(kernels: &[KernelReport]) -> Vec<(usize, &KernelReport)> {
    let mut all = kernels.iter().enumerate().collect::<Vec<_>>();
    all.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.points));
    all.truncate(KERNELS_MAX);
    all.sort_by_key(|(position, _)| *position);
    all
}

fn at_length(kernel: &KernelReport, out: &mut Lines) {
    let place = kernel.location.as_ref().map_or(String::new(), |place| format!(" at {place}"));
    let stage = kernel.stage.as_ref().map_or(String::new(), |stage| format!(": stage {stage}"));
    out.line("kernel", format_args!("{}{stage}{place}", kernel.name));
    out.line(
        "",
        format_args!(
            "grid {}, block {}, {} point{} per thread, {} points",
            extents(kernel.grid),
            extents(kernel.block),
            kernel.points_per_thread,
            plural(kernel.points_per_thread),
            kernel.points
        ),
    );
    if let Some(resources) = kernel.model_resources() {
        let occupancy = match (&kernel.occupancy, &kernel.problem) {
            (Some(resident), _) => resident.text.clone(),
            (None, problem) => problem.clone().unwrap_or_default(),
        };
        out.line("", format_args!("{}", resources.describe()));
        out.line("", format_args!("{occupancy}"));
    }
    if let Some(code) = &kernel.instructions {
        let local = match code.local {
            0 => "no local memory".to_owned(),
            count => format!("{count} accesses to local memory"),
        };
        out.line(
            "",
            format_args!(
                "PTX: {} instructions, {} ld.global ({} of them .nc), {} st.global, {local}",
                code.all, code.global_loads, code.read_only_loads, code.global_stores
            ),
        );
    }
    let approximate = if kernel.approximate { ", approximate operations" } else { "" };
    let bound = kernel.bound.as_ref().map_or(String::new(), |bound| {
        format!(
            "; {} bounds it to {:.1} GPt/s on {}{}",
            bound.by,
            bound.gigapoints_per_s,
            bound.product,
            if bound.is_derived { ", by its data sheet" } else { "" }
        )
    });
    out.line(
        "",
        format_args!(
            "{} FLOP and {} compulsory bytes per point{approximate}{bound}",
            kernel.flops_per_point.written, kernel.bytes_per_point.compulsory
        ),
    );
}

/// What was decided for a kernel, if no kernel before it comes from the same decision.
fn own_decision<'k>(kernel: &'k KernelReport, all: &[KernelReport]) -> Option<&'k Decision> {
    let decided = kernel.decision.as_ref()?;
    let first = all.iter().find(|other| other.decision.as_ref() == Some(decided))?;
    (first.name == kernel.name).then_some(decided)
}

fn stages(report: &Report, out: &mut Lines) {
    let times: Vec<String> = report
        .stages
        .iter()
        .map(|time| format!("{} {:.1}", time.stage, time.seconds * 1e3))
        .collect();
    let cached = if report.from_cache { "; kernels from the cache" } else { "" };
    if !times.is_empty() {
        out.line("compiled", format_args!("in ms: {}{cached}", times.join(", ")));
    }
}

fn run_lines(run: &RunSection, out: &mut Lines) {
    let time = run.seconds.map_or(String::new(), |seconds| format!(" in {seconds:.3} s"));
    let (launches, points) = (run.launches, run.points);
    match run.operations {
        Some(operations) => out.line(
            "run",
            format_args!(
                "{}: {launches} applies, {points} points, {operations} operations{time}",
                run.backend
            ),
        ),
        None => out.line(
            "run",
            format_args!(
                "{}: {launches} launches, {} copies, {points} points{time}",
                run.backend, run.copies
            ),
        ),
    }
    if let Some(Shared { devices, exchanges, exchanged_bytes }) = run.shared {
        out.line(
            "devices",
            format_args!(
                "{devices}, each of which does this; {exchanges} exchanges of planes, \
                 {exchanged_bytes} bytes"
            ),
        );
    }
    for (position, result) in run.results.iter().enumerate() {
        out.line("result", format_args!("{position}: {result}"));
    }
    out.0.push_str(&run.device_text);
}

fn verification(found: &Verification, out: &mut Lines) {
    let Some(comparison) = &found.comparison else {
        out.0.push_str("not verified: the interpreter is what others are compared with\n");
        return;
    };
    let (fields, cells) = (comparison.fields, comparison.cells);
    let reference = match found.reference {
        "interpreter" => format!("the interpreter's ({:.3} s)", found.reference_seconds),
        other => format!("those of {other} on the same GPU"),
    };
    out.line(
        "compared",
        format_args!("{fields} field{}, {cells} cells, with {reference}", plural(fields as u64)),
    );
    if comparison.is_identical() {
        out.0.push_str("verified: bit-identical\n");
        return;
    }
    out.0.push_str(&verify::text(comparison));
    if found.approximate {
        out.0.push_str(
            "the program has approximate operations, for which no bound on the whole is known\n",
        );
    }
    out.0.push_str("verification failed: the results differ\n");
}

fn extents(sizes: [u32; 3]) -> String {
    sizes.map(|size| size.to_string()).join("x")
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{report::Chip, session::StageTime, target::Target, verify::Comparison};
    use std::time::Duration;
    use stencil_runtime::manifest::{BytesPerPoint, FlopsPerPoint, Resources};

    fn kernel(index: usize) -> KernelReport {
        KernelReport {
            name: format!("heat_stage{index}"),
            stage: Some(format!("stage{index}")),
            location: Some("heat.mlir:3:5".to_owned()),
            grid: [2, 5, 1],
            block: [64, 2, 1],
            shared_bytes: 0,
            points: 6720,
            points_per_thread: 8,
            flops_per_point: FlopsPerPoint { written: 4, executed: 4 },
            bytes_per_point: BytesPerPoint { compulsory: 16, predicted: None },
            approximate: false,
            plan: None,
            decision: Some(Decision {
                plan: format!("stage{index}:points=4x1x1"),
                why: "as given".to_owned(),
            }),
            instructions: None,
            resources: Some(Resources {
                registers: 40,
                spill_store_bytes: 0,
                spill_load_bytes: 0,
                static_shared_bytes: 0,
                stack_bytes: 0,
            }),
            occupancy: None,
            problem: Some("it does not fit".to_owned()),
            bound: None,
        }
    }

    fn report(kernels: usize) -> Report {
        let comparison = Comparison { fields: 2, cells: 14_448, differences: Vec::new() };
        let target = Target::new("sm_90a", None).unwrap();
        Report {
            program: "heat.mlir".to_owned(),
            function: Some("heat".to_owned()),
            target: target.name(),
            chip: Chip::of(&target),
            product: target.product,
            ptx_version: "8.0".to_owned(),
            assembler: None,
            demotion: None,
            kernels: (0..kernels).map(kernel).collect(),
            from_cache: false,
            stages: vec![StageTime { stage: "parse", seconds: 0.00125 }],
            run: Some(RunSection { backend: "emulator", launches: 3, ..RunSection::default() }),
            verification: Some(Verification::new(comparison, Duration::from_millis(2), false)),
            self_tests: Vec::new(),
            outputs: vec!["u.npy".to_owned()],
        }
    }

    #[test]
    fn a_few_kernels_are_shown_at_length() {
        let text = text(&report(1));
        assert!(text.contains("kernel    heat_stage0: stage stage0 at heat.mlir:3:5\n"));
        assert!(text.contains("grid 2x5x1, block 64x2x1, 8 points per thread, 6720 points\n"));
        assert!(text.contains("40 registers, no spills, no shared memory\n"));
        assert!(text.contains("it does not fit\n"));
        assert!(text.contains("plan      stage0:points=4x1x1\n          as given\n"), "{text}");
        assert!(text.contains("compiled  in ms: parse 1.2\n"), "{text}");
        assert!(text.ends_with("(0.002 s)\nverified: bit-identical\n"), "{text}");
    }

    #[test]
    fn many_kernels_fit_one_screen() {
        let text = text(&report(100));
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.contains("and 92 more kernels; --report=FILE.json has them all\n"));
        assert_eq!(text.matches("as given").count(), 1, "{text}");
    }

    #[test]
    fn of_many_kernels_the_largest_are_shown() {
        let mut many = report(12);
        many.kernels[11].points = 9_999;
        let text = text(&many);
        assert!(text.contains("kernel    heat_stage11: "), "{text}");
        assert!(text.contains("plan      stage11:points=4x1x1\n          as given\n"), "{text}");
        assert!(!text.contains("heat_stage7:"), "{text}");
    }

    #[test]
    fn a_decision_is_told_with_the_first_kernel_that_comes_from_it() {
        let mut two = report(2);
        two.kernels[1].decision = two.kernels[0].decision.clone();
        assert_eq!(text(&two).matches("plan  ").count(), 1);
        assert_eq!(text(&report(2)).matches("plan  ").count(), 2);
        let many = text(&report(5));
        assert_eq!((many.matches("plan  ").count(), many.matches("as given").count()), (5, 1));
    }

    #[test]
    fn what_was_not_compared_is_not_verified() {
        let mut report = report(0);
        report.verification = Some(Verification::of_reference());
        assert!(!text(&report).contains("\nverified"));
        assert!(!report.is_refuted());
    }
}
