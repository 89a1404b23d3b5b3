//! Types of fields and temps in every spelling that there was, and lists of integers.

use super::tokens::{Kind, Tokens};
use std::ops::Range;

/// One dimension of a field or temp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// `?`
    Unknown,
    /// `72`: how many cells, but not where the first one is.
    Cells(i64),
    /// `[-4,68]`
    Bounds(i64, i64),
    /// `0` of the Open Earth Compiler: the field does not have this dimension.
    Absent,
}

/// The type of a field or temp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid<'t> {
    /// `field`, `temp` or, in 2019, `view`.
    pub word: &'t str,
    /// Its dimensions as they are spelled.
    pub extents: Vec<Extent>,
    /// The type of an element.
    pub element: &'t str,
    /// Whether all of it is spelled as today.
    pub is_plain: bool,
}

/// The words of types with dimensions.
const WORDS: [&str; 3] = ["field", "temp", "view"];

impl<'t> Grid<'t> {
    /// The type at a token; none where it is another one or cannot be read.
    pub fn at(tokens: &Tokens<'t>, at: usize) -> Option<Grid<'t>> {
        let word = tokens.text(at).strip_prefix("!stencil.").filter(|word| WORDS.contains(word))?;
        if !tokens.is(at + 1, "<") {
            return None;
        }
        let text = tokens.inside(at + 1).trim();
        let is_plain = |extent: &Extent| matches!(extent, Extent::Unknown | Extent::Bounds(..));
        if let Some((extents, element)) = shape(text) {
            let is_plain = word != "view" && extents.iter().all(is_plain);
            return Some(Grid { word, extents, element, is_plain });
        }
        let (extents, element) = typed_list(text).or_else(|| axes(text))?;
        Some(Grid { word, extents, element, is_plain: false })
    }

    /// Whether a dimension is there, by its number in the spelling.
    pub fn has(&self) -> Vec<bool> {
        self.extents.iter().map(|extent| *extent != Extent::Absent).collect()
    }

    /// Whether the number of cells is known, and not where they are.
    pub fn needs_bounds(&self) -> bool {
        self.extents.iter().any(|extent| matches!(extent, Extent::Cells(_)))
    }
}

/// `?x?x0xf64`, `72x72xf64`, `[-4,68]x[-4,68]xf64`
fn shape(text: &str) -> Option<(Vec<Extent>, &str)> {
    let (mut extents, mut rest) = (Vec::new(), text);
    while let Some((extent, after)) = extent(rest) {
        extents.push(extent);
        rest = after.trim_start().strip_prefix('x')?.trim_start();
    }
    (!extents.is_empty() && !rest.is_empty()).then_some((extents, rest))
}

/// `ijk, f64`, as the Open Earth Compiler printed types in 2020.
fn axes(text: &str) -> Option<(Vec<Extent>, &str)> {
    let (axes, element) = text.split_once(',')?;
    if axes.is_empty() || !axes.chars().all(|axis| "ijk".contains(axis)) {
        return None;
    }
    let extent = |axis| if axes.contains(axis) { Extent::Unknown } else { Extent::Absent };
    Some((['i', 'j', 'k'].map(extent).into(), element.trim()))
}

/// `[72 : i64, -1 : i64], f64`, as xDSL printed types until April 2023; -1 is unknown.
fn typed_list(text: &str) -> Option<(Vec<Extent>, &str)> {
    let (list, element) = text.strip_prefix('[')?.split_once(']')?;
    let element = element.trim_start().strip_prefix(',')?.trim();
    let extent = |part: &str| {
        let cells = part.split(':').next()?.trim().parse().ok()?;
        Some(if cells < 0 { Extent::Unknown } else { Extent::Cells(cells) })
    };
    Some((list.split(',').map(extent).collect::<Option<_>>()?, element))
}

fn extent(text: &str) -> Option<(Extent, &str)> {
    if let Some(rest) = text.strip_prefix('?') {
        return Some((Extent::Unknown, rest));
    }
    if let Some((bounds, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let (lower, upper) = bounds.split_once(',')?;
        return Some((
            Extent::Bounds(lower.trim().parse().ok()?, upper.trim().parse().ok()?),
            rest,
        ));
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let cells = text[..digits].parse().ok()?;
    Some((if cells == 0 { Extent::Absent } else { Extent::Cells(cells) }, &text[digits..]))
}

/// The integers of a list in any spelling: `[0, -1]`, `[0 : i64]`, `#stencil.index<0, -1>`,
/// `[#builtin.int<0>]`. None where something else is among them.
pub fn integers(tokens: &Tokens, range: Range<usize>) -> Option<Vec<i64>> {
    let (mut values, mut sign) = (Vec::new(), 1);
    let mut at = range.start;
    while at < range.end {
        match (tokens.kind(at), tokens.text(at)) {
            (Kind::Number, digits) => {
                values.push(digits.parse::<i64>().ok()?.checked_mul(sign)?);
                sign = 1;
            }
            (Kind::Sign, "-") => sign = -1,
            (Kind::Sign, ":") if tokens.kind(at + 1) == Kind::Word => at += 1,
            (Kind::Sign, ",") | (Kind::Open | Kind::Close, "[" | "]" | "<" | ">") => {}
            (Kind::Attribute, "#stencil.index" | "#builtin.int") => {}
            _ => return None,
        }
        at += 1;
    }
    (1..=3).contains(&values.len()).then_some(values)
}

/// `[1, -2, 3]`
pub fn list<T: ToString>(values: &[T]) -> String {
    format!("[{}]", values.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Vec<Extent>, String)> {
        let tokens = Tokens::of(text).unwrap();
        Grid::at(&tokens, 0).map(|grid| (grid.extents, grid.element.to_owned()))
    }

    #[test]
    fn types_of_all_years_are_read() {
        use Extent::{Absent, Bounds, Cells, Unknown};
        for (text, extents, element) in [
            ("!stencil.temp<?x0xf64>", vec![Unknown, Absent], "f64"),
            ("!stencil.field<0x72x0xf64>", vec![Absent, Cells(72), Absent], "f64"),
            ("!stencil.field<0x0x5xf64>", vec![Absent, Absent, Cells(5)], "f64"),
            ("!stencil.field<[-4,68]x[ 0, 3 ]xbf16>", vec![Bounds(-4, 68), Bounds(0, 3)], "bf16"),
            ("!stencil.temp<[72 : i64, -1 : i64], f32>", vec![Cells(72), Unknown], "f32"),
            ("!stencil.view<jk,f64>", vec![Absent, Unknown, Unknown], "f64"),
            ("!stencil.temp<?xtensor<5xf32>>", vec![Unknown], "tensor<5xf32>"),
        ] {
            assert_eq!(read(text), Some((extents, element.to_owned())), "{text}");
        }
        for text in ["!stencil.result<f64>", "!stencil.temp<f64>", "!stencil.temp", "!fir.array<3>"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn integers_are_read_in_every_spelling() {
        for text in [
            "[1, -2]",
            "[1 : i64, -2 : i64]",
            "#stencil.index<1, -2>",
            "<[1, -2]>",
            "#stencil.index[1, -2]",
            "#stencil.index<[1 : i32, -2 : i32]>",
            "[#builtin.int<1>, #builtin.int<-2>]",
        ] {
            let tokens = Tokens::of(text).unwrap();
            assert_eq!(integers(&tokens, 0..tokens.len()), Some(vec![1, -2]), "{text}");
        }
        for text in ["[%a]", "[1.5]", "[]", "[1, 2, 3, 4]", "[9999999999999999999]"] {
            let tokens = Tokens::of(text).unwrap();
            assert_eq!(integers(&tokens, 0..tokens.len()), None, "{text}");
        }
    }
}
