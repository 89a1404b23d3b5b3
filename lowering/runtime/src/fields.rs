//! Fields in `.npy` files.
//!
//! A file holds exactly the cells of its field: the shape is the field's extents, dimension 0
//! slowest (NumPy's default order), cell `lower` first. Element types:
//!
//! | element | read | written |
//! | --- | --- | --- |
//! | `i1` | bool `|b1` | `|b1` |
//! | `i8` `i16` `i32` `i64` | integers of the same size, signed or not | signed |
//! | `index` | `<i8`, `<u8` | `<i8` |
//! | `f16` `f32` `f64` | `<f2` `<f4` `<f8` | the same |
//! | `bf16` | its bits as uint16, `<u2`, since NumPy has no bfloat16 | `<u2` |
//!
//! Nothing is converted: a file of another type or shape is refused, with the conversion to make.

use crate::{
    error::ErrorKind,
    manifest::{FieldShape, Span},
    scalar::{ScalarType, ScalarValue},
};
use half::f16;
use npyz::{AutoSerialize, DType, NpyHeader, Order, WriterBuilder};
use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek, Write},
    path::{Path, PathBuf},
};

/// Limit on the header, which is shorter for plain arrays; damaged files must not cost memory.
const HEADER_BYTES_MAX: u64 = 1024;

/// Why a file cannot be read as a field.
#[derive(Debug, thiserror::Error)]
#[error("'{}' {problem}", path.display())]
pub struct FieldError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: FieldProblem,
}

/// The problem with a file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum FieldProblem {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("is not an .npy file: {0}")]
    Header(io::Error),
    #[error("holds {found}, the field holds {expected} ({}); {remedy}", stored.join(" or "))]
    Type { found: String, expected: ScalarType, stored: Vec<&'static str>, remedy: String },
    #[error("has shape {found}, the field {field} has shape {expected}")]
    Shape { found: String, field: String, expected: String },
    #[error("is in Fortran order; save numpy.ascontiguousarray(a), which has dimension 0 slowest")]
    FortranOrder,
    #[error("ends after {found} of {expected} bytes of data")]
    Truncated { found: usize, expected: usize },
    #[error("has bytes after its {expected} bytes of data")]
    TooLong { expected: usize },
    #[error("holds {value} in cell {cell}, which is not a truth value")]
    NotBool { value: u8, cell: usize },
    #[error("needs {bytes} bytes of memory, more than available")]
    Memory { bytes: usize },
}

impl FieldError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self.problem {
            FieldProblem::Unreadable(_) | FieldProblem::Memory { .. } => ErrorKind::Surroundings,
            _ => ErrorKind::Program,
        }
    }
}

/// The extents of the array in a file; its cells are not read.
pub fn read_extents(path: &Path) -> Result<Vec<u64>, FieldError> {
    let wrong = |problem| FieldError { path: path.to_owned(), problem };
    let file = File::open(path).map_err(|error| wrong(FieldProblem::Unreadable(error)))?;
    let header = NpyHeader::from_reader(file.take(HEADER_BYTES_MAX))
        .map_err(|error| wrong(FieldProblem::Header(error)))?;
    Ok(header.shape().to_vec())
}

/// Reads the cells of a field, as in memory.
pub fn read_npy(path: &Path, shape: &FieldShape) -> Result<Vec<u8>, FieldError> {
    let wrong = |problem| FieldError { path: path.to_owned(), problem };
    let file = File::open(path).map_err(|error| wrong(FieldProblem::Unreadable(error)))?;
    read_cells(&mut BufReader::new(file), shape).map_err(wrong)
}

fn read_cells(reader: &mut impl Read, shape: &FieldShape) -> Result<Vec<u8>, FieldProblem> {
    let header = NpyHeader::from_reader(reader.by_ref().take(HEADER_BYTES_MAX))
        .map_err(FieldProblem::Header)?;
    check_header(&header, shape)?;

    let expected = shape.bytes();
    let mut cells = Vec::new();
    cells.try_reserve_exact(expected).map_err(|_| FieldProblem::Memory { bytes: expected })?;
    reader
        .by_ref()
        .take(expected as u64)
        .read_to_end(&mut cells)
        .map_err(FieldProblem::Unreadable)?;
    if cells.len() < expected {
        return Err(FieldProblem::Truncated { found: cells.len(), expected });
    }
    if reader.read(&mut [0]).map_err(FieldProblem::Unreadable)? != 0 {
        return Err(FieldProblem::TooLong { expected });
    }
    check_cells(&cells, shape.element, 0)?;
    Ok(cells)
}

/// Reads some cells of a field, those of a window, to their places there; `shape` is that of the
/// whole field.
pub fn read_npy_spans(
    path: &Path,
    shape: &FieldShape,
    spans: &[Span],
    window: &mut [u8],
) -> Result<(), FieldError> {
    let wrong = |problem| FieldError { path: path.to_owned(), problem };
    let unreadable = |error| wrong(FieldProblem::Unreadable(error));
    let file = File::open(path).map_err(unreadable)?;
    let (bytes, mut reader) = (file.metadata().map_err(unreadable)?.len(), BufReader::new(file));
    let header = NpyHeader::from_reader(reader.by_ref().take(HEADER_BYTES_MAX))
        .map_err(|error| wrong(FieldProblem::Header(error)))?;
    check_header(&header, shape).map_err(wrong)?;
    let start = reader.stream_position().map_err(unreadable)?;
    let (found, expected) = ((bytes - start) as usize, shape.bytes());
    if found < expected {
        return Err(wrong(FieldProblem::Truncated { found, expected }));
    }
    if found > expected {
        return Err(wrong(FieldProblem::TooLong { expected }));
    }
    let mut place = 0;
    for span in spans {
        reader.seek_relative(span.whole as i64 - place as i64).map_err(unreadable)?;
        let cells = &mut window[span.local..][..span.bytes];
        reader.read_exact(cells).map_err(unreadable)?;
        place = span.whole + span.bytes;
        check_cells(cells, shape.element, span.whole).map_err(wrong)?;
    }
    Ok(())
}

/// Checks what is in cells, of which the first has this number.
fn check_cells(cells: &[u8], element: ScalarType, first: usize) -> Result<(), FieldProblem> {
    if element == ScalarType::I1
        && let Some(cell) = cells.iter().position(|&byte| byte > 1)
    {
        return Err(FieldProblem::NotBool { value: cells[cell], cell: first + cell });
    }
    Ok(())
}

fn check_header(header: &NpyHeader, shape: &FieldShape) -> Result<(), FieldProblem> {
    let found = match header.dtype() {
        DType::Plain(ty) => ty.to_string(),
        other => other.descr(),
    };
    let stored = stored_types(shape.element);
    if !stored.contains(&found.as_str()) {
        let remedy = match shape.element {
            ScalarType::Bf16 => "save the bits as uint16, a.view('<u2')".to_owned(),
            _ => format!("convert it, a.astype('{}')", stored[0]),
        };
        return Err(FieldProblem::Type { found, expected: shape.element, stored, remedy });
    }
    let extents = shape.extents();
    if header.shape() != extents {
        return Err(FieldProblem::Shape {
            found: tuple(header.shape()),
            field: shape.to_string(),
            expected: tuple(&extents),
        });
    }
    match header.order() {
        Order::C => Ok(()),
        Order::Fortran => Err(FieldProblem::FortranOrder),
    }
}

/// The NumPy types that hold cells of this type; the first is the one written.
fn stored_types(element: ScalarType) -> Vec<&'static str> {
    match element {
        ScalarType::I1 => vec!["|b1"],
        ScalarType::I8 => vec!["|i1", "|u1"],
        ScalarType::I16 => vec!["<i2", "<u2"],
        ScalarType::I32 => vec!["<i4", "<u4"],
        ScalarType::I64 | ScalarType::Index => vec!["<i8", "<u8"],
        ScalarType::F16 => vec!["<f2"],
        ScalarType::Bf16 => vec!["<u2"],
        ScalarType::F32 => vec!["<f4"],
        ScalarType::F64 => vec!["<f8"],
    }
}

/// As Python prints a shape: `(66, 66)`, `(5,)`.
pub fn tuple(extents: &[u64]) -> String {
    match extents {
        [only] => format!("({only},)"),
        all => {
            let all: Vec<String> = all.iter().map(u64::to_string).collect();
            format!("({})", all.join(", "))
        }
    }
}

/// Writes the cells of a field as a `.npy` file.
///
/// # Panics
///
/// If `cells` has not the size of the field.
pub fn write_npy(writer: impl Write, shape: &FieldShape, cells: &[u8]) -> io::Result<()> {
    assert_eq!(cells.len(), shape.bytes(), "the cells are those of the field");
    let extents = shape.extents();
    match shape.element {
        ScalarType::I1 => write_cells(writer, &extents, cells, |[byte]| byte != 0),
        ScalarType::I8 => write_cells(writer, &extents, cells, i8::from_le_bytes),
        ScalarType::I16 => write_cells(writer, &extents, cells, i16::from_le_bytes),
        ScalarType::I32 => write_cells(writer, &extents, cells, i32::from_le_bytes),
        ScalarType::I64 | ScalarType::Index => {
            write_cells(writer, &extents, cells, i64::from_le_bytes)
        }
        ScalarType::F16 => write_cells(writer, &extents, cells, f16::from_le_bytes),
        ScalarType::Bf16 => write_cells(writer, &extents, cells, u16::from_le_bytes),
        ScalarType::F32 => write_cells(writer, &extents, cells, f32::from_le_bytes),
        ScalarType::F64 => write_cells(writer, &extents, cells, f64::from_le_bytes),
    }
}

fn write_cells<T: AutoSerialize, const N: usize>(
    writer: impl Write,
    extents: &[u64],
    cells: &[u8],
    decode: impl Fn([u8; N]) -> T,
) -> io::Result<()> {
    let mut npy = npyz::WriteOptions::new()
        .default_dtype()
        .shape(extents)
        .writer(BufWriter::new(writer))
        .begin_nd()?;
    let (cells, rest) = cells.as_chunks::<N>();
    assert!(rest.is_empty(), "a field is whole cells");
    for cell in cells {
        npy.push(&decode(*cell))?;
    }
    npy.finish()
}

/// The value of cell `index` in the content of a field.
pub fn cell(content: &[u8], element: ScalarType, index: usize) -> ScalarValue {
    let bytes = element.bytes();
    ScalarValue::from_bytes(element, &content[index * bytes..][..bytes])
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
