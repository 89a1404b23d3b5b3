//! Kernels as lines of text: which lines are an operation, and what it reads and gives.
//!
//! Every operation has a number in its attribute `tag`, by which it is known wherever it stands.

use crate::planted_faults::place::values;
use std::ops::Range;

/// An operation of a text, with the lines of its regions.
#[derive(Clone, Debug)]
pub struct Op {
    pub lines: Range<usize>,
    pub tag: usize,
    pub results: Vec<String>,
    pub name: String,
    /// What is after the results, on the first line.
    pub rest: String,
    /// The values that its first line reads, then those that its regions name.
    pub operands: Vec<String>,
    /// The last word of its line.
    pub r#type: String,
}

impl Op {
    fn of(all: &[&str], lines: Range<usize>) -> Option<Op> {
        let (first, last) = (all[lines.start].trim(), all[lines.end - 1].trim());
        let place = if lines.len() > 1 { last } else { first };
        let digits = place.rsplit_once("tag = ")?.1;
        let tag = digits.split(' ').next()?.parse().ok()?;
        let (results, rest) = match first.split_once(" = ") {
            Some((results, rest)) if first.starts_with('%') => (names(results), rest),
            _ => (vec![], first),
        };
        let name = rest.split([' ', '(']).next()?.to_owned();
        let r#type = rest.rsplit_once(" : ").map(|(_, of)| of.to_owned()).unwrap_or_default();
        let inner = lines.clone().skip(1).flat_map(|line| names(all[line]));
        let (rest, operands) = (rest.to_owned(), names(rest).into_iter().chain(inner).collect());
        Some(Op { lines, tag, results, name, rest, operands, r#type })
    }

    /// The memory of a load or a store.
    pub fn memory(&self) -> Option<&str> {
        match self.name.as_str() {
            "memref.load" | "vector.load" => self.operands.first().map(String::as_str),
            "memref.store" | "vector.store" => self.operands.get(1).map(String::as_str),
            _ => None,
        }
    }

    pub fn is_store(&self) -> bool {
        self.name.ends_with(".store")
    }

    pub fn is_fence(&self) -> bool {
        self.name == "gpu.barrier" || self.name.starts_with("nvvm.bar")
    }

    pub fn is_shuffle(&self) -> bool {
        self.name == "gpu.shuffle" || self.name == "nvvm.shfl.sync"
    }

    /// Whether it computes a floating-point number.
    pub fn is_arithmetic(&self) -> bool {
        let of_float = ["f32", "f64"].contains(&self.r#type.as_str());
        let dialect = self.name.starts_with("arith.") || self.name.starts_with("math.");
        of_float && dialect && !self.name.ends_with("constant") && !self.name.contains("cmp")
    }
}

/// The values that are named in a text, without the numbers of results.
pub fn names(text: &str) -> Vec<String> {
    values(text).into_iter().map(|(begin, end)| text[begin..end].to_owned()).collect()
}

/// The text with one value in the place of another.
pub fn renamed(text: &str, from: &str, to: &str) -> String {
    let is_name = |part: char| part.is_ascii_alphanumeric() || "_-".contains(part);
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(from) {
        out.push_str(before);
        out.push_str(if behind.starts_with(is_name) { from } else { to });
        rest = behind;
    }
    out + rest
}

/// The operations of each block of each kernel, blocks inside of others after them.
pub fn blocks(text: &str) -> Vec<Vec<Op>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with("gpu.func @") {
            let end = (begin + 1..lines.len()).find(|at| indent(lines[*at]) <= indent(line));
            collect(&lines, begin + 1..end.expect("a function ends"), &mut found);
        }
    }
    found
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn collect(lines: &[&str], range: Range<usize>, found: &mut Vec<Vec<Op>>) {
    let Some(first) = range.clone().next() else { return };
    let level = indent(lines[first]);
    let is_begin = |at: &usize| indent(lines[*at]) == level && !lines[*at].trim().starts_with('}');
    let begins: Vec<usize> = range.clone().filter(is_begin).collect();
    let ends = begins.iter().skip(1).copied().chain([range.end]);
    let spans: Vec<Range<usize>> = begins.iter().zip(ends).map(|(b, e)| *b..e).collect();
    found.push(spans.iter().filter_map(|span| Op::of(lines, span.clone())).collect());
    for span in spans {
        let walls: Vec<usize> = span.filter(|at| indent(lines[*at]) == level).collect();
        for pair in walls.windows(2) {
            collect(lines, pair[0] + 1..pair[1], found);
        }
    }
}
