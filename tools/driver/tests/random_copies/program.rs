//! Programs with a copy of a field as text in the dialect.

use std::{fmt::Write, ops::Range};

/// Cells that a program fills after the copy.
pub struct Strip {
    /// Their coordinates.
    pub cells: Vec<Range<i64>>,
    pub value: Filling,
}

/// What cells are filled with.
pub enum Filling {
    /// The cell so far away.
    Cell(Vec<i64>),
    /// The negative of it.
    Negative(Vec<i64>),
    Number(f64),
}

/// What a program does besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    Nothing,
    /// It stores to the field that it has copied.
    StoresSource,
    /// It copies the field once more, behind the strips.
    CopiesAgain,
    /// A statement reads the points before any strip is filled.
    ReadsEarly,
}

/// A program.
pub struct Program {
    pub element: &'static str,
    /// The points, from 0 on.
    pub extents: Vec<i64>,
    /// Ghost cells before and behind them, along each dimension.
    pub ghosts: Vec<[i64; 2]>,
    /// How much longer the field is that is copied.
    pub longer: i64,
    pub strips: Vec<Strip>,
    /// What the first statement reads of the copy around its point.
    pub first: Vec<Vec<i64>>,
    /// What the second one reads of the first.
    pub second: Vec<Vec<i64>>,
    pub more: More,
    /// The plan of all statements as one sweep.
    pub plan: Option<String>,
}

impl Program {
    /// The module.
    pub fn text(&self) -> String {
        let (element, rank) = (self.element, self.extents.len());
        let inside = self.extents.iter().map(|end| 0..*end).collect::<Vec<_>>();
        let longer = self.extents.iter().map(|end| 0..end + self.longer).collect::<Vec<_>>();
        let whole = inside.iter().zip(&self.ghosts);
        let whole = whole.map(|(points, [low, high])| -low..points.end + high).collect::<Vec<_>>();
        let mut text = format!(
            "!in = {}\n!out = {}\n!own = {}\n!temp = !stencil.temp<{}{element}>\n\n",
            field(&longer, element),
            field(&inside, element),
            field(&whole, element),
            "?x".repeat(rank)
        );
        let is_in_place = self.more == More::StoresSource;
        text += "func.func @main(%in: !in, %out: !out, %other: !out) {\n";
        text += "  %own = stencil.alloc : !own\n  %values = stencil.load %in : !in -> !temp\n";
        self.copy(&mut text, "copy", &inside);
        let mut early = "";
        if self.more == More::ReadsEarly {
            text += "  %soon = stencil.load %own : !own -> !temp\n";
            self.statement(&mut text, ("early", "soon"), &[vec![0; rank]], "");
            early = "%early";
        }
        for (number, strip) in self.strips.iter().enumerate() {
            self.strip(&mut text, number, strip);
        }
        if self.more == More::CopiesAgain {
            self.copy(&mut text, "again", &inside);
        }
        text += "  %filled = stencil.load %own : !own -> !temp\n";
        let group = self.group();
        self.statement(&mut text, ("first", "filled"), &self.first, &group);
        self.statement(&mut text, ("second", "first"), &self.second, &group);
        let points = bounds(&inside);
        if is_in_place {
            writeln!(text, "  stencil.store %second to %in({points}) : !temp to !in").unwrap();
            text += "  %last = stencil.load %own : !own -> !temp\n";
            self.statement(&mut text, ("third", "last"), &self.first, "");
            writeln!(text, "  stencil.store %third to %out({points}) : !temp to !out").unwrap();
        } else {
            writeln!(text, "  stencil.store %second to %out({points}) : !temp to !out").unwrap();
        }
        if !early.is_empty() {
            writeln!(text, "  stencil.store {early} to %other({points}) : !temp to !out").unwrap();
        }
        text += "  return\n}\n";
        text
    }

    fn group(&self) -> String {
        let Some(plan) = &self.plan else { return String::new() };
        format!(
            "\n      attributes {{stencil.group = \"group\", stencil.plan = \
             #stencil.plan<{{{plan}}}>}}"
        )
    }

    fn copy(&self, text: &mut String, name: &str, points: &[Range<i64>]) {
        let (element, group) = (self.element, self.group());
        let here = vec![self.longer; points.len()];
        writeln!(
            text,
            "  %{name} = stencil.apply(%x = %values : !temp) -> (!temp){group} {{
    %0 = stencil.access %x{here:?} : !temp
    stencil.return %0 : {element}
  }}
  stencil.store %{name} to %own({}) : !temp to !own",
            bounds(points)
        )
        .unwrap();
    }

    fn strip(&self, text: &mut String, number: usize, strip: &Strip) {
        let element = self.element;
        let read = |offset: &[i64]| {
            format!(
                "  %g{number} = stencil.load %own : !own -> !temp
  %s{number} = stencil.apply(%x = %g{number} : !temp) -> (!temp) {{
    %0 = stencil.access %x{offset:?} : !temp\n"
            )
        };
        let (code, value) = match &strip.value {
            Filling::Cell(offset) => (read(offset), 0),
            Filling::Negative(offset) => {
                (read(offset) + &format!("    %1 = arith.negf %0 : {element}\n"), 1)
            }
            Filling::Number(number_filled) => {
                let number_filled = format!("{number_filled:?} : {element}");
                let code = format!("  %s{number} = stencil.apply() -> (!temp) {{\n");
                (code + &format!("    %0 = arith.constant {number_filled}\n"), 0)
            }
        };
        writeln!(
            text,
            "{code}    stencil.return %{value} : {element}
  }}
  stencil.store %s{number} to %own({}) : !temp to !own",
            bounds(&strip.cells)
        )
        .unwrap();
    }

    /// A sum of cells.
    fn statement(
        &self,
        text: &mut String,
        (name, of): (&str, &str),
        reads: &[Vec<i64>],
        group: &str,
    ) {
        let element = self.element;
        writeln!(text, "  %{name} = stencil.apply(%x = %{of} : !temp) -> (!temp){group} {{")
            .unwrap();
        for (number, offset) in reads.iter().enumerate() {
            let factor = 1.0 + 0.25 * number as f64;
            writeln!(
                text,
                "    %c{number} = stencil.access %x{offset:?} : !temp
    %f{number} = arith.constant {factor:?} : {element}
    %p{number} = arith.mulf %c{number}, %f{number} : {element}"
            )
            .unwrap();
            match number {
                0 => writeln!(text, "    %s0 = arith.negf %p0 : {element}"),
                _ => writeln!(
                    text,
                    "    %s{number} = arith.subf %s{}, %p{number} : {element}",
                    number - 1
                ),
            }
            .unwrap();
        }
        writeln!(text, "    stencil.return %s{} : {element}\n  }}", reads.len() - 1).unwrap();
    }
}

fn bounds(cells: &[Range<i64>]) -> String {
    let ends = |end: fn(&Range<i64>) -> i64| cells.iter().map(end).collect::<Vec<_>>();
    format!("<{:?}, {:?}>", ends(|it| it.start), ends(|it| it.end))
}

fn field(cells: &[Range<i64>], element: &str) -> String {
    let dimensions = cells.iter().map(|it| format!("[{},{}]", it.start, it.end));
    format!("!stencil.field<{}x{element}>", dimensions.collect::<Vec<_>>().join("x"))
}
