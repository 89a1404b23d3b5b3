//! The roofline of a program: its kernels below the roof of the chip that it is compiled for.

use super::roofline::{self, Mark, Roof};
use crate::{
    DriverError, explanation,
    pipelines::Kernels,
    report::{KernelReport, Report},
    session::{Module, Session},
};
use stencil_model::product::Product;
use stencil_runtime::bind::nearest;

/// How a roofline is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As SVG.
    Svg,
    /// As characters, for a terminal.
    Text,
}

/// The roofline of a program whose arithmetic is frozen.
///
/// # Errors
/// If the program is refused or has no kernels.
pub fn draw<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    kernel: Option<&str>,
    format: Format,
) -> Result<String, DriverError> {
    let (target, product) = (session.target().name(), session.target().product);
    let rates = explanation::rates(session, frozen)?;
    let mapped = session.map(frozen, Kernels::Planned)?;
    let mut report = Report::new(session);
    report.describe_without_code(&session.export(&mapped)?, "nothing is assembled");
    let rate = |kernel: &KernelReport| {
        let is_of = |of: &String| is_named(&kernel.name, of);
        let (_, rate) = rates.iter().find(|(of, rate)| is_of(of) && rate.steps == steps(kernel))?;
        Some(rate.points_per_s)
    };
    let mut marks = Vec::<(&KernelReport, Mark)>::new();
    for kernel in chosen(&report.kernels, session.program(), kernel)? {
        // The two kernels of a pair of sweeps are one.
        let is_like = |(other, _): &&mut (&KernelReport, Mark)| is_pair(other, kernel);
        match (marks.iter_mut().find(is_like), &kernel.bound) {
            (Some((_, mark)), _) => mark.name = format!("{}, {}", mark.name, kernel.name),
            (None, Some(bound)) => {
                let mark = Mark {
                    name: kernel.name.clone(),
                    flops: kernel.flops_per_point.executed as f64,
                    bytes: kernel.bytes_per_point.compulsory as f64,
                    by: bound.by.to_owned(),
                    bound_per_s: bound.gigapoints_per_s * 1e9,
                    predicted_per_s: rate(kernel),
                };
                marks.push((kernel, mark));
            }
            (None, None) => {}
        }
    }
    let roof = Roof {
        bytes_per_s: product.calibration.copy_bytes_per_s as f64,
        peaks: peaks(marks.iter().map(|(kernel, _)| *kernel), product),
    };
    let marks = marks.into_iter().map(|(_, mark)| mark).collect::<Vec<_>>();
    let title = format!("roofline of {} on {} ({target})", session.program(), product.described());
    match format {
        Format::Svg => roofline::draw(&title, &roof, &marks).map_err(DriverError::Drawing),
        Format::Text => Ok(roofline::text(&title, &roof, &marks)),
    }
}

/// The kernel of a name, or all.
fn chosen<'k>(
    kernels: &'k [KernelReport],
    program: &str,
    name: Option<&str>,
) -> Result<Vec<&'k KernelReport>, DriverError> {
    if kernels.is_empty() {
        return Err(DriverError::NoArithmetic { place: format!("program '{program}'") });
    }
    let Some(name) = name else { return Ok(kernels.iter().collect()) };
    let found = kernels.iter().filter(|kernel| kernel.name == name).collect::<Vec<_>>();
    if !found.is_empty() {
        return Ok(found);
    }
    let known = kernels.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>();
    let hint =
        nearest(name, &known).map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
    Err(DriverError::NoSuchKernel { name: name.to_owned(), hint, known: known.join(", ") })
}

/// Whether a kernel has a name, or that and a number.
fn is_named(kernel: &str, name: &str) -> bool {
    let number = kernel.strip_prefix(name);
    let digits = number.and_then(|rest| rest.strip_prefix('_'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    number == Some("") || digits.is_some_and(is_number)
}

/// Time steps of a kernel's plan.
fn steps(kernel: &KernelReport) -> u64 {
    let steps = kernel.plan.as_ref().and_then(|plan| plan.get("steps")?.as_u64());
    steps.unwrap_or(1)
}

fn is_pair(one: &KernelReport, other: &KernelReport) -> bool {
    let of = |kernel: &KernelReport| (kernel.points, steps(kernel), kernel.plan.clone());
    one.stage == other.stage && of(one) == of(other)
}

/// What arithmetic allows, for each precision that kernels have, the slowest first.
fn peaks<'k>(
    kernels: impl Iterator<Item = &'k KernelReport>,
    product: &Product,
) -> Vec<(String, f64)> {
    let peaks = kernels.filter_map(|kernel| Some(kernel.bound.as_ref()?.flops_per_s));
    let mut peaks = peaks.collect::<Vec<_>>();
    peaks.sort_by(f64::total_cmp);
    peaks.dedup();
    let per_clock = |peak: f64| {
        peak / (2.0 * f64::from(product.sheet.multiprocessors) * product.sheet.clock_max_hz as f64)
    };
    let is_double = |peak: f64| {
        (per_clock(peak) - f64::from(product.sheet.fma_per_clock_per_sm.f64)).abs() < 0.5
    };
    let name = |peak: f64| if is_double(peak) { "f64 arithmetic" } else { "f32 arithmetic" };
    peaks.into_iter().map(|peak| (name(peak).to_owned(), peak)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_plan_have_numbers() {
        assert!(is_named("heat_loop", "heat_loop") && is_named("heat_loop_1", "heat_loop"));
        for other in ["heat_loop2", "heat_loop_", "heat_loop_a", "heat"] {
            assert!(!is_named(other, "heat_loop"), "{other}");
        }
    }
}
