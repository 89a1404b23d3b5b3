//! Lines of IR, found by their content: an op's name and what its operands are, never by
//! their numbers.
//!
//! Words are sought in what is told of a line: without its results, and with each value replaced by
//! what it is. A constant is `<3>`, what an op gives `<arith.addi>`, an argument of a kernel
//! `<memory>` or, for the block's buffer, `<shared>`, any other argument `<carried>`. Lines begin
//! with the words; two dots match anything: `memref.store .. <shared>` is a store to shared
//! memory.

use std::collections::HashMap;

/// A line.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Words that the first line begins with, and which of such lines it is.
    first: (&'static str, usize),
    /// The way from there.
    steps: &'static [Step],
}

/// From one line to another.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The n-th of the lines further down with these words.
    Below(&'static str, usize),
    /// The nearest line further up with these words.
    Above(&'static str),
    /// The line of the op that gives the n-th value of the line.
    Definition(usize),
}

/// The n-th line with these words.
pub const fn at(words: &'static str, nth: usize) -> Place {
    from(words, nth, &[])
}

/// The line at the end of a way that begins at the n-th line with these words.
pub const fn from(words: &'static str, nth: usize, steps: &'static [Step]) -> Place {
    Place { first: (words, nth), steps }
}

impl Place {
    /// The number of the line.
    pub fn find(&self, text: &str) -> Option<usize> {
        let lines: Vec<&str> = text.lines().collect();
        let told = told(&lines);
        let below = |begin: usize, words: &str, nth: usize| {
            let mut places = (begin..told.len()).filter(|place| holds(&told[*place], words));
            places.nth(nth)
        };
        let (words, nth) = self.first;
        let mut place = below(0, words, nth)?;
        for step in self.steps {
            place = match *step {
                Step::Below(words, nth) => below(place + 1, words, nth)?,
                Step::Above(words) => (0..place).rev().find(|above| holds(&told[*above], words))?,
                Step::Definition(value) => {
                    let (begin, end) = *values(lines[place]).get(value)?;
                    let name = &lines[place][begin..end];
                    (0..place).rev().find(|above| {
                        defined(lines[*above]).is_some_and(|(defined, _)| defined == name)
                    })?
                }
            };
        }
        Some(place)
    }
}

/// Whether a line begins with words, the others in their order after the first.
fn holds(line: &str, words: &str) -> bool {
    let mut parts = words.split("..").map(str::trim);
    let mut rest = line.strip_prefix(parts.next().unwrap_or_default());
    for part in parts {
        rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, behind)| behind);
    }
    rest.is_some()
}

/// What is told of lines.
fn told(lines: &[&str]) -> Vec<String> {
    let mut known = HashMap::new();
    let of_line = |line: &&str| {
        if line.contains("func @") {
            known.clear();
        }
        if line.contains("gpu.func @") {
            let (arguments, buffers) = line.split_once("workgroup(").unwrap_or((line, ""));
            for (text, what) in [(arguments, "memory"), (buffers, "shared")] {
                let names = values(text).into_iter().map(|(begin, end)| &text[begin..end]);
                known.extend(names.map(|name| (name.to_owned(), what.to_owned())));
            }
        }
        let own = defined(line);
        let text = own.map_or(line.trim_start(), |(_, op)| op);
        let mut told = text.to_owned();
        for (begin, end) in values(text).into_iter().rev() {
            let what = known.get(&text[begin..end]).map_or("carried", String::as_str);
            told.replace_range(begin..end, &format!("<{what}>"));
        }
        if let Some((name, op)) = own {
            let constant = op.strip_prefix("arith.constant ");
            let constant = constant.and_then(|rest| rest.split_once(" :"));
            let op = op.split([' ', '(']).next().unwrap_or_default();
            known.insert(name.to_owned(), constant.map_or(op, |(number, _)| number).to_owned());
        }
        told
    };
    lines.iter().map(of_line).collect()
}

/// The results of a line, by the name that they share, and the op.
fn defined(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (results, op) = line.split_once(" = ").filter(|_| line.starts_with('%'))?;
    Some((results.split_once(':').map_or(results, |(name, _)| name), op))
}

/// Where values are named on a line, without the number of a result.
pub fn values(line: &str) -> Vec<(usize, usize)> {
    let is_name = |part: char| part.is_ascii_alphanumeric() || "_-".contains(part);
    let begins = line.match_indices('%').map(|(begin, _)| begin);
    let ends = begins.map(|begin| {
        let length = line[begin + 1..].find(|part| !is_name(part));
        (begin, length.map_or(line.len(), |length| begin + 1 + length))
    });
    ends.collect()
}

#[test]
fn places_are_found_by_what_stands_there() {
    let text = "gpu.func @f(%arg0: m) workgroup(%arg1 : m) {\n\
                %c3 = arith.constant 3 : i32\n\
                %0 = arith.addi %arg2, %c3 : i32\n\
                %1:2 = scf.if %0 {\n\
                memref.store %1#0, %arg1[%0] : m\n\
                memref.store %0, %arg0[%1#1] : m";
    assert_eq!(at("arith.addi <carried>, <3>", 0).find(text), Some(2));
    assert_eq!(at("memref.store .. <shared>", 0).find(text), Some(4));
    assert_eq!(at("memref.store .. <memory>[<scf.if>#1]", 0).find(text), Some(5));
    assert_eq!(at("memref.store .. <memory>", 1).find(text), None);
    assert_eq!(from("memref.store", 0, &[Step::Above("arith.addi")]).find(text), Some(2));
    assert_eq!(from("arith.addi", 0, &[Step::Below("memref.store", 1)]).find(text), Some(5));
    let condition = &[Step::Definition(2), Step::Definition(1), Step::Definition(2)];
    assert_eq!(from("memref.store", 1, condition).find(text), Some(1));
}
