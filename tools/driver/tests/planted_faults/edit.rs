//! Small changes of a text of IR, on one line.

use super::place::{Place, values};

/// A change. Values of a line are counted from the left, its results included.
#[derive(Clone, Copy, Debug)]
pub enum Edit {
    /// The line is left out.
    Drop(Place),
    /// On the line the first words become the second.
    Put(Place, &'static str, &'static str),
    /// On the line two values change places.
    Swap(Place, usize, usize),
    /// On the line the value at the first place becomes that at the second.
    Copy(Place, usize, usize),
    /// On the line a value becomes a value of another line.
    Take(Place, usize, Place, usize),
    /// On the line a number becomes so much more.
    Add(Place, usize, i64),
}

impl Edit {
    /// The changed text; none if nothing can be changed.
    pub fn apply(&self, text: &str) -> Option<String> {
        let (Edit::Drop(place)
        | Edit::Put(place, ..)
        | Edit::Swap(place, ..)
        | Edit::Copy(place, ..)
        | Edit::Take(place, ..)
        | Edit::Add(place, ..)) = self;
        let place = place.find(text)?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let changed = self.change(text, &lines[place])?;
        if changed == lines[place] {
            return None;
        }
        lines[place] = changed;
        Some(lines.join("\n"))
    }

    fn change(&self, text: &str, line: &str) -> Option<String> {
        let value = |number: usize| full_values(line).get(number).copied();
        match *self {
            Edit::Drop(..) => Some(String::new()),
            Edit::Put(_, from, to) => line.contains(from).then(|| line.replacen(from, to, 1)),
            Edit::Swap(_, one, two) => {
                let (one, two) = (value(one)?, value(two)?);
                Some(with(line, &[(one, &line[two.0..two.1]), (two, &line[one.0..one.1])]))
            }
            Edit::Copy(_, to, from) => {
                let (to, from) = (value(to)?, value(from)?);
                Some(with(line, &[(to, &line[from.0..from.1])]))
            }
            Edit::Take(_, to, place, from) => {
                let other = text.lines().nth(place.find(text)?)?;
                let from = *full_values(other).get(from)?;
                Some(with(line, &[(value(to)?, &other[from.0..from.1])]))
            }
            Edit::Add(_, to, more) => {
                let (begin, end) = value(to)?;
                let types = line.rsplit_once(" : ").map(|(_, types)| types);
                let of_line = types.and_then(|types| types.split_whitespace().next());
                let r#type = if line[end..].starts_with(']') { "index" } else { of_line? };
                let old = &line[begin..end];
                Some(format!(
                    "%more = arith.constant {more} : {type}\n\
                     %sum = arith.addi {old}, %more : {type}\n{}",
                    with(line, &[((begin, end), "%sum")])
                ))
            }
        }
    }
}

/// Where values are named on a line, with the number of a result.
fn full_values(line: &str) -> Vec<(usize, usize)> {
    let longer = |(begin, end): (usize, usize)| {
        let number = line[end..].strip_prefix('#').unwrap_or_default();
        let digits = number.find(|part: char| !part.is_ascii_digit()).unwrap_or(number.len());
        (begin, if digits > 0 { end + 1 + digits } else { end })
    };
    values(line).into_iter().map(longer).collect()
}

/// The line with other text in some places.
fn with(line: &str, changes: &[((usize, usize), &str)]) -> String {
    let mut changes = changes.to_vec();
    changes.sort_unstable_by_key(|change| std::cmp::Reverse(change.0));
    let mut line = line.to_owned();
    for ((begin, end), text) in changes {
        line.replace_range(begin..end, text);
    }
    line
}

#[test]
fn edits_change_one_line() {
    use super::place::at;
    let text = "%a = f %b#1, %c : i32\nyield %a, %b\nyield %b, %c";
    let apply = |edit: Edit| edit.apply(text);
    assert_eq!(apply(Edit::Drop(at("yield", 1))).unwrap(), "%a = f %b#1, %c : i32\nyield %a, %b\n");
    assert_eq!(
        apply(Edit::Swap(at("f <carried>", 0), 1, 2)).unwrap(),
        "%a = f %c, %b#1 : i32\nyield %a, %b\nyield %b, %c"
    );
    assert_eq!(
        apply(Edit::Copy(at("yield", 1), 0, 1)).unwrap(),
        "%a = f %b#1, %c : i32\nyield %a, %b\nyield %c, %c"
    );
    assert_eq!(
        apply(Edit::Put(at("f <carried>", 0), "i32", "i64")).unwrap(),
        "%a = f %b#1, %c : i64\nyield %a, %b\nyield %b, %c"
    );
    assert_eq!(
        apply(Edit::Take(at("yield", 1), 1, at("f <carried>", 0), 1)).unwrap(),
        "%a = f %b#1, %c : i32\nyield %a, %b\nyield %b, %b#1"
    );
    assert_eq!(
        apply(Edit::Add(at("f <carried>", 0), 2, -1)).unwrap(),
        "%more = arith.constant -1 : i32\n%sum = arith.addi %c, %more : i32\n\
         %a = f %b#1, %sum : i32\nyield %a, %b\nyield %b, %c"
    );
    assert_eq!(apply(Edit::Drop(at("yield", 2))), None);
    assert_eq!(apply(Edit::Swap(at("yield", 0), 0, 2)), None);
    assert_eq!(apply(Edit::Put(at("yield", 0), "%c", "%d")), None);
}
