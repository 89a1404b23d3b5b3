//! Versions for people: a table with a column for each, and listings beside each other.

use super::{CountedKernel, Version, classes::CLASSES};
use crate::report::KernelReport;

/// A line of the table: what it is, and a cell for each version.
struct Row {
    name: String,
    cells: Vec<String>,
}

/// What is printed where nothing is known, or there is no such kernel.
const NONE: &str = "-";

/// All numbers, a column for each version.
pub fn table(versions: &[Version]) -> String {
    let plan = |version: &Version| match version.plan.as_str() {
        "" => "default".to_owned(),
        plan => plan.to_owned(),
    };
    let mut rows = vec![row("plan", versions, |version| Some(plan(version)))];
    rows.push(row("predicted cycles", versions, |version| {
        version.predicted_cycles.map(|cycles| cycles.to_string())
    }));
    let most = versions.iter().map(|version| version.kernels.len()).max().unwrap_or(0);
    for number in 0..most {
        let of = |what: &dyn Fn(&CountedKernel) -> Option<String>, version: &Version| {
            version.kernels.get(number).and_then(what)
        };
        rows.push(Row { name: String::new(), cells: Vec::new() });
        let mut add = |name: &str, what: &dyn Fn(&CountedKernel) -> Option<String>| {
            rows.push(row(name, versions, |version| of(what, version)));
        };
        add("kernel", &|kernel| Some(kernel.report.name.clone()));
        for (name, what) in QUANTITIES {
            add(name, &|kernel| what(&kernel.report));
        }
        add("machine instructions", &|kernel| {
            Some(kernel.machine_instructions.as_ref()?.values().sum::<usize>().to_string())
        });
        for class in CLASSES {
            let count = |kernel: &CountedKernel| {
                let counts = kernel.machine_instructions.as_ref()?;
                Some(counts.get(class).copied().unwrap_or(0).to_string())
            };
            add(&format!("  {class}"), &count);
        }
    }
    aligned(&rows) + &notes(versions)
}

fn row(name: &str, versions: &[Version], cell: impl Fn(&Version) -> Option<String>) -> Row {
    let cells = versions.iter().map(|version| cell(version).unwrap_or_else(|| NONE.to_owned()));
    Row { name: name.to_owned(), cells: cells.collect() }
}

/// What a report says of a kernel, by name.
type Quantity = (&'static str, fn(&KernelReport) -> Option<String>);

const QUANTITIES: [Quantity; 12] = [
    ("grid", |kernel| Some(sizes(kernel.grid))),
    ("block", |kernel| Some(sizes(kernel.block))),
    ("points per thread", |kernel| Some(kernel.points_per_thread.to_string())),
    ("registers", |kernel| Some(kernel.resources?.registers.to_string())),
    ("spill stores, bytes", |kernel| Some(kernel.resources?.spill_store_bytes.to_string())),
    ("spill loads, bytes", |kernel| Some(kernel.resources?.spill_load_bytes.to_string())),
    ("shared memory, bytes", |kernel| {
        let fixed = kernel.resources.map_or(0, |resources| resources.static_shared_bytes);
        Some((kernel.shared_bytes + fixed).to_string())
    }),
    ("occupancy, warps", |kernel| {
        let occupancy = kernel.occupancy.as_ref()?;
        Some(format!("{} of {}", occupancy.warps, occupancy.warps_max))
    }),
    ("limited by", |kernel| Some(kernel.occupancy.as_ref()?.limiter.clone())),
    ("bound, GPt/s", |kernel| Some(format!("{:.1}", kernel.bound.as_ref()?.gigapoints_per_s))),
    ("bound by", |kernel| Some(kernel.bound.as_ref()?.by.to_owned())),
    ("PTX instructions", |kernel| Some(kernel.instructions?.all.to_string())),
];

fn sizes(sizes: [u32; 3]) -> String {
    sizes.map(|size| size.to_string()).join("x")
}

/// Rows with their columns below each other.
fn aligned(rows: &[Row]) -> String {
    let width = |text: &String| text.chars().count();
    let names = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.cells.get(column));
    let widths = (0..columns).map(|column| cells(column).map(width).max().unwrap_or(0));
    let widths = widths.collect::<Vec<_>>();
    let line = |row: &Row| {
        let cells = row.cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}"));
        let line = format!("{:names$}{}", row.name, cells.collect::<String>());
        line.trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// What is not known, once for each reason.
fn notes(versions: &[Version]) -> String {
    let mut all = versions.iter().flat_map(|version| &version.unknown).collect::<Vec<_>>();
    all.dedup();
    all.into_iter().map(|why| format!("unknown   {why}\n")).collect()
}

/// Characters of a listing's column.
const LISTING_WIDTH: usize = 60;

/// The machine code of all kernels, that of the first version on the left.
pub fn listings(versions: &[Version]) -> String {
    let most = versions.iter().map(|version| version.kernels.len()).max().unwrap_or(0);
    let mut text = String::new();
    for number in 0..most {
        let columns = versions.iter().map(|version| {
            let kernel = version.kernels.get(number).map(|kernel| kernel.report.name.as_str());
            let code = kernel.zip(version.sass.as_deref());
            let code = code.map_or(Vec::new(), |(kernel, sass)| instructions(sass, kernel));
            [vec![format!("// {}", kernel.unwrap_or(NONE))], code].concat()
        });
        let columns = columns.collect::<Vec<_>>();
        for line in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
            let cell = |column: &Vec<String>| {
                let cell = column.get(line).map_or("", String::as_str);
                format!("{:LISTING_WIDTH$}", cell.chars().take(LISTING_WIDTH).collect::<String>())
            };
            let cells = columns.iter().map(cell).collect::<Vec<_>>();
            text.push_str(cells.join(" | ").trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// The instructions and labels of a kernel in a listing, without their addresses.
fn instructions(sass: &str, kernel: &str) -> Vec<String> {
    let begin = format!(".text.{kernel}:");
    let lines = sass.lines().skip_while(|line| line.trim() != begin).skip(1);
    let lines = lines.take_while(|line| !line.contains("//-----"));
    let line = |line: &str| {
        let line = line.trim();
        match line.split_once("*/") {
            Some((address, instruction)) if address.starts_with("/*") => {
                let instruction = instruction.trim().trim_end_matches(';').trim();
                Some(format!("  {instruction}"))
            }
            _ => line.starts_with(".L_").then(|| line.to_owned()),
        }
    };
    lines.filter_map(line).filter(|line| line.trim() != "NOP").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(plan: &str, sass: &str) -> Version {
        Version {
            plan: plan.to_owned(),
            kernels: Vec::new(),
            predicted_cycles: (!sass.is_empty()).then_some(1234),
            unknown: vec!["SASS: no assembler".to_owned()],
            sass: Some(sass.to_owned()),
        }
    }

    #[test]
    fn columns_stand_below_each_other() {
        let text = table(&[version("", "x"), version("points=8", "")]);
        let lines = text.lines().collect::<Vec<_>>();
        assert_eq!(
            lines,
            [
                "plan              default  points=8",
                "predicted cycles     1234         -",
                "unknown   SASS: no assembler",
            ]
        );
    }

    #[test]
    fn instructions_lose_their_addresses() {
        let sass = "\
//--------------------- .text.other ------
.text.other:
        /*0000*/                   EXIT ;
//--------------------- .text.heat ------
heat:
.text.heat:
\t//## File \"heat.mlir\", line 3
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/              @P0  BRA `(.L_x_0) ;
        /*0020*/                   NOP ;
";
        let found = instructions(sass, "heat");
        assert_eq!(found, ["  LDC R1, c[0x0][0x28]", ".L_x_0:", "  @P0  BRA `(.L_x_0)"]);
        assert_eq!(instructions(sass, "other"), ["  EXIT"]);
        assert!(instructions(sass, "none").is_empty());
    }
}
