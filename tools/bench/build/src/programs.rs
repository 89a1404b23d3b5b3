//! The program of a benchmark: which file, and how it is read for a type and a size.
//!
//! Programs of the family have no file: they are written when they are asked for.
//!
//! The files have the papers' sizes, so nothing is changed for those; applications have small
//! extents, and are read at those of their rows. For a small size all programs are read at others:
//! an MLIR program by the points that it updates and ghost cells that it stores, a STENCILGEN
//! program by its parameters, which are cells of its arrays. That both came out as they should is
//! checked on the fields of what was compiled.

use crate::family;
use std::path::{Path, PathBuf};
use stencil_bench::kernels::{Benchmark, Element, KernelSet};
use stencil_driver::{
    DriverError,
    input::Input,
    reading::{ElementType, Reading},
};
use stencil_runtime::Manifest;

/// The language that programs are taken in; every benchmark is there in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// The stencil dialect.
    Mlir,
    /// The language of STENCILGEN.
    Idsl,
}

/// How large a benchmark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As the paper has it.
    Paper,
    /// A few thousand points, odd extents.
    Small,
}

/// Where the programs are, in the repository that this was built in.
pub fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../test/kernels")).to_owned()
}

/// The text of a benchmark's program.
pub fn input(
    folder: &Path,
    benchmark: &Benchmark,
    language: Language,
) -> Result<Input, DriverError> {
    let ending = match language {
        Language::Mlir => "mlir",
        Language::Idsl => "idsl",
    };
    if let Some(program) = stencil_bench::generated::find(&benchmark.name) {
        return Ok(Input { name: format!("{}.idsl", benchmark.name), text: program.text() });
    }
    let file = format!("{}.{ending}", benchmark.name);
    if let (Language::Mlir, Some(member)) = (language, stencil_bench::family::find(&benchmark.name))
    {
        return Ok(Input { name: file, text: family::text(member, family::SEED) });
    }
    let Input { text, .. } = Input::read(&folder.join(&file))?;
    // Diagnostics and kernels speak of the file, wherever the repository lies.
    Ok(Input { name: file, text })
}

/// Points along each dimension.
pub fn extents(benchmark: &Benchmark, size: Size) -> Vec<u64> {
    match size {
        Size::Paper => benchmark.size.clone(),
        Size::Small => benchmark.small_size(),
    }
}

/// How the text is read for a size.
pub fn reading(
    benchmark: &Benchmark,
    input: &Input,
    element: Element,
    size: Size,
) -> Result<Reading, DriverError> {
    reading_at(benchmark, input, element, &extents(benchmark, size))
}

/// How the text is read for so many points along each dimension.
pub fn reading_at(
    benchmark: &Benchmark,
    input: &Input,
    element: Element,
    points: &[u64],
) -> Result<Reading, DriverError> {
    let mut reading = Reading::of(input);
    let is_application = benchmark.paper == KernelSet::Applications;
    reading.element_type = match element {
        Element::F32 => Some(ElementType::F32),
        // Some applications are in single precision.
        Element::F64 => is_application.then_some(ElementType::F64),
    };
    if points == benchmark.size && !is_application {
        return Ok(reading);
    }
    let words = match reading.language.has_parameters() {
        false => benchmark.domain(points).iter().map(u64::to_string).collect::<Vec<_>>().join(","),
        true => {
            let names = &["L", "M", "N"][3 - points.len()..];
            let cells = cells(benchmark, points);
            let define = |(name, cells): (&&str, u64)| format!("{name}={cells}");
            names.iter().zip(cells).map(define).collect::<Vec<_>>().join(",")
        }
    };
    Ok(reading.at(&words)?.0)
}

/// Cells of the arrays along each dimension, for so many points.
pub fn cells(benchmark: &Benchmark, points: &[u64]) -> Vec<u64> {
    let around = match benchmark.paper {
        KernelSet::Stencilgen | KernelSet::None | KernelSet::Applications | KernelSet::Family => 0,
        KernelSet::Ppopp18 => benchmark.radius,
    };
    points.iter().map(|extent| extent + 2 * around).collect()
}

/// Refuses a compiled program whose arrays have not the size that the records will state.
pub fn check(manifest: &Manifest, benchmark: &Benchmark, points: &[u64]) -> Result<(), String> {
    let expected = cells(benchmark, points);
    // Around the points of an application are halos of several widths.
    let fits = |extents: &[u64]| match benchmark.paper {
        KernelSet::Applications => {
            extents.iter().zip(&expected).all(|(cells, least)| cells >= least)
        }
        _ => extents == expected.as_slice(),
    };
    let fields = manifest.functions.iter().flat_map(|function| &function.arguments);
    let wrong = fields
        .filter_map(|argument| argument.kind.as_field())
        .find(|shape| shape.lower.len() == expected.len() && !fits(&shape.extents()));
    match wrong {
        None => Ok(()),
        Some(shape) => Err(format!(
            "'{}' has a field {shape}, its arrays should have {expected:?} cells",
            benchmark.name
        )),
    }
}
