//! Time loops of all shapes, as text and as their semantics.

use std::fmt::Write;

/// A time loop around one apply, and its surroundings.
#[derive(Clone, Debug)]
pub struct Case {
    /// Fields in the rotation.
    pub rotation: usize,
    /// Ages of the levels that the apply reads, at different offsets.
    pub ages: Vec<usize>,
    /// Steps of the plan.
    pub steps: u32,
    /// Key `tail` of the plan.
    pub tail: &'static str,
    /// Which of the fields are scratch, by position in the rotation before the loop.
    pub scratch: Vec<bool>,
    /// A position in the rotation whose field is copied to another one after the loop.
    pub used: Option<usize>,
    /// Whether the loop carries a number, and reads the induction variable.
    pub scalars: bool,
}

/// A number of iterations, and the loop's bounds.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    pub lower: i64,
    pub step: i64,
    pub iterations: i64,
}

/// The offset at which a level of an age is read: its own cell if it is the stored field's.
pub fn offset(rotation: usize, age: usize) -> i64 {
    if age + 1 == rotation { 0 } else { 1 + age as i64 }
}

impl Case {
    /// Arguments of the function: the rotation, a coefficient, and one for uses after the loop.
    pub const OTHERS: usize = 2;

    /// The boundary source of an age.
    pub fn source(&self, age: usize) -> usize {
        (self.rotation - age) % self.rotation
    }

    /// Whether a run must leave a field as the program does.
    pub fn is_observable(&self, field: usize) -> bool {
        self.scratch.get(field).is_none_or(|scratch| !scratch)
    }

    /// The text. Slots are ordered differently from the boundary sources: slot `s` is source `R - 1
    /// - s`.
    pub fn text(&self) -> String {
        let rotation = self.rotation;
        let slot = |source: usize| rotation - 1 - source % rotation;
        let list = |item: &dyn Fn(usize) -> String, count: usize| {
            (0..count).map(item).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::from(
            "!f = !stencil.field<[-4,12]xf64>\n!t = !stencil.temp<?xf64>\nfunc.func @f(",
        );
        for source in 0..rotation {
            let mark = if self.scratch[source] { " {stencil.scratch}" } else { "" };
            let _ = write!(text, "%f{source}: !f{mark}, ");
        }
        text += "%coefficient: !f, %seen: !f, %lower: index, %upper: index, %step: index) {\n";
        text += "  %start = arith.constant 5 : i64\n  %weight = arith.constant 3 : i64\n";
        let inits = list(&|s| format!("%s{s} = %f{}", rotation - 1 - s), rotation);
        let types = list(&|_| "!f".to_owned(), rotation);
        let _ = writeln!(
            text,
            "  %end:{} = scf.for %i = %lower to %upper step %step iter_args({inits}, \
             %k = %coefficient, %sum = %start) -> ({types}, !f, i64) {{",
            rotation + 2
        );
        text += "    %kt = stencil.load %k : !f -> !t\n";
        for age in &self.ages {
            let slot = slot(self.source(*age));
            let _ = writeln!(text, "    %t{age} = stencil.load %s{slot} : !f -> !t");
        }
        text += "    %wide = arith.index_cast %i : index to i64\n";
        text += "    %double = arith.muli %sum, %weight : i64\n";
        text += "    %next = arith.addi %double, %wide : i64\n";
        let arguments = self.ages.iter().map(|age| format!("%x{age} = %t{age} : !t, "));
        let arguments = arguments.collect::<String>();
        let numbers = if self.scalars { ", %p = %i : index, %q = %sum : i64" } else { "" };
        let _ = writeln!(
            text,
            "    %r = stencil.apply({arguments}%c = %kt : !t, %w = %weight : i64{numbers}) -> (!t) \
             attributes {{stencil.plan = #stencil.plan<{{mapping = \"warp\", steps = {}, \
             tail = \"{}\"}}>}} {{",
            self.steps, self.tail
        );
        text += "      %v = stencil.access %c[0] : !t\n";
        for age in &self.ages {
            let offset = offset(rotation, *age);
            let _ = writeln!(text, "      %v{age} = stencil.access %x{age}[{offset}] : !t");
        }
        let stored = slot(1);
        text += "      stencil.return %v : f64\n    }\n";
        let _ = writeln!(text, "    stencil.store %r to %s{stored}(<[0], [8]>) : !t to !f");
        // The next field of a slot is that of the source after its own.
        let next = list(&|s| format!("%s{}", slot(rotation - s)), rotation);
        let _ = writeln!(text, "    scf.yield {next}, %k, %next : {types}, !f, i64\n  }}");
        if let Some(source) = self.used {
            let _ = writeln!(
                text,
                "  %lt = stencil.load %end#{} : !f -> !t
  %copy = stencil.apply(%x = %lt : !t) -> (!t) attributes {{
      stencil.plan = #stencil.plan<{{mapping = \"warp\"}}>}} {{
    %v = stencil.access %x[0] : !t
    stencil.return %v : f64
  }}
  stencil.store %copy to %seen(<[0], [8]>) : !t to !f",
                slot(source)
            );
        }
        text + "  return\n}\n"
    }
}
