//! The smallest programs that show faults, one file for each fault.

use super::{
    failing::swept::Drawn,
    shown::{Failure, Way},
};
use std::{fs, path::PathBuf};
use stencil_faults::Fault;

/// A small program, with what belongs to its run.
pub struct Smallest(Drawn);

impl Smallest {
    /// Makes a program small that shows a fault, as it showed.
    pub fn of(fault: Fault, drawn: Drawn, failure: &Failure) -> Smallest {
        let way = Way::of(fault);
        // A program that is wrong without the fault shows something else.
        Smallest(way.smaller(drawn, failure, |program| {
            let shown = stencil_faults::with(fault, || way.run(program));
            if shown.is_err() && way.run(program).is_err() { Ok(()) } else { shown }
        }))
    }

    /// The one that is kept.
    pub fn read(fault: Fault) -> Result<Smallest, String> {
        let path = path(fault);
        let text = fs::read_to_string(&path).map_err(|error| {
            format!("{}: {error}; 'cargo xtask bless --nightly proof' writes it", path.display())
        })?;
        let head = text.lines().find_map(|line| line.strip_prefix(SEED));
        let mut words = head.unwrap_or_default().split(' ');
        let seed = words.next().and_then(|word| word.parse().ok());
        let seed = seed.ok_or(format!("{} names no seed", path.display()))?;
        let scalar = |word: &str| {
            let (position, value) = word.strip_prefix("--arg=")?.split_once('=')?;
            Some((position.parse().ok()?, value.to_owned()))
        };
        let words = words.collect::<Vec<_>>();
        let scalars = words.iter().filter_map(|word| scalar(word)).collect();
        let plan = words.iter().find_map(|word| word.strip_prefix(PLAN)).unwrap_or_default();
        let plan = plan.to_owned();
        let text = text.lines().skip_while(|line| line.starts_with("//"));
        let text = text.map(|line| format!("{line}\n")).collect();
        Ok(Smallest(Drawn { text, scalars, plan, seed }))
    }

    /// It comes out wrong with the fault, and right without.
    pub fn check(&self, fault: Fault) -> Result<(), String> {
        let (name, way) = (fault.name(), Way::of(fault));
        let run = || way.run(&self.0);
        if let Err(failure) = run() {
            return Err(format!("the smallest program of '{name}' fails without it: {failure}"));
        }
        match stencil_faults::with(fault, run) {
            Err(_) => Ok(()),
            Ok(()) => Err(format!("the smallest program of '{name}' does not show it")),
        }
    }

    /// Operations, those of functions left out.
    pub fn operations(&self) -> usize {
        const DIALECTS: [&str; 4] = ["stencil.", "arith.", "math.", "scf."];
        let words = |line: &str| {
            let code = line.trim_start();
            let code = code.split_once(" = ").map_or(code, |(_, code)| code).to_owned();
            DIALECTS.iter().any(|dialect| code.starts_with(dialect))
        };
        self.0.text.lines().filter(|line| words(line)).count()
    }

    /// Cells of its largest field.
    pub fn cells(&self) -> i64 {
        let types = self.0.text.split("!stencil.field<").skip(1);
        let cells = types.filter_map(|rest| {
            let (bounds, _) = rest.split_once('>')?;
            let ends = bounds.split('[').skip(1).map(|range| {
                let (lower, rest) = range.split_once(',')?;
                let (upper, _) = rest.split_once(']')?;
                Some(upper.trim().parse::<i64>().ok()? - lower.trim().parse::<i64>().ok()?)
            });
            ends.product::<Option<i64>>()
        });
        cells.max().unwrap_or(0)
    }

    /// Keeps it.
    pub fn write(&self, fault: Fault) {
        let Drawn { text, scalars, plan, seed } = &self.0;
        let scalars = scalars.iter().map(|(place, value)| format!(" --arg={place}={value}"));
        let scalars = scalars.collect::<String>();
        let plan = if plan.is_empty() { String::new() } else { format!(" {PLAN}{plan}") };
        let (name, wrong) = (fault.name(), fault.text());
        let file = format!("// Fault '{name}': {wrong}.\n{SEED}{seed}{scalars}{plan}\n{text}");
        fs::create_dir_all(folder()).unwrap();
        fs::write(path(fault), file).unwrap();
    }
}

/// What is before keys of a plan that the option has, not the program.
const PLAN: &str = "--plan=";

/// What is before the seed, and the scalar arguments after it.
const SEED: &str = "// Plan, order and content of fields are those of seed ";

fn path(fault: Fault) -> PathBuf {
    folder().join(format!("{}.mlir", fault.name()))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/proof/smallest")
}

/// No file is there but those of faults; with `bless`, others go.
pub fn check_folder(bless: bool) {
    let known = Fault::ALL.iter().map(|fault| path(*fault)).collect::<Vec<_>>();
    for file in fs::read_dir(folder()).unwrap() {
        let file = file.unwrap().path();
        if bless && !known.contains(&file) {
            fs::remove_file(&file).unwrap();
        } else {
            assert!(known.contains(&file), "{} belongs to no fault", file.display());
        }
    }
}
