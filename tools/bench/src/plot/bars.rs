//! A group of bars for each kernel: the best of each of our versions, then each peer.
//!
//! Rates differ by a hundred times between kernels, so a group is drawn relative to the rate of the
//! peers' plain CUDA where there is one, else to its own best; the rates are at the bars.

use super::{colour, versions};
use crate::{
    kernels::{self, Element},
    layout::number,
    peers,
    record::Record,
    table::{self, Rows},
};
use plotters::prelude::*;

type Failure = Box<dyn std::error::Error>;

/// Width of the drawing, and height of a bar and of what is around a group.
const WIDTH: u32 = 1000;
const BAR: i32 = 14;
const GAP: i32 = 12;
/// Room for the title and the legend, and for the names of kernels.
const TOP: i32 = 60;
const LEFT: i32 = 130;
/// The longest bar.
const LONGEST: f64 = 700.0;
const FONT: (&str, u32) = ("sans-serif", 12);

/// A bar of a group.
struct Bar {
    label: String,
    gpts: f64,
    colour: RGBColor,
}

/// The bars of one kernel, each as long as its rate over that of the first group member that all
/// others are held against.
struct Group {
    kernel: String,
    bars: Vec<Bar>,
    unit: f64,
}

/// The drawing.
pub(super) fn draw(records: &[Record], element: Element, chip: &str) -> Result<String, String> {
    let mut svg = String::new();
    let groups = groups(records, element, chip);
    fill(&mut svg, &groups, &format!("{element} on {chip}, GPt/s; line: plain CUDA by nvcc"))
        .map_err(|error| error.to_string())?;
    Ok(svg)
}

fn groups(records: &[Record], element: Element, chip: &str) -> Vec<Group> {
    let names = versions(records);
    let best = table::rows(records, Rows::Best);
    let mut groups = Vec::new();
    for benchmark in kernels::all() {
        let ours: Vec<&Record> = best
            .iter()
            .map(|row| row.record)
            .filter(|record| record.kernel == benchmark.name)
            .collect();
        if ours.is_empty() {
            continue;
        }
        let place = |record: &Record| names.iter().position(|name| *name == record.version);
        let mut bars: Vec<Bar> = ours
            .iter()
            .map(|record| Bar {
                label: record.version.clone(),
                gpts: record.gpts,
                colour: colour(place(record).unwrap_or(0)),
            })
            .collect();
        bars.extend(peers::of(&benchmark.peers, element, chip).map(|peer| Bar {
            label: peers::system(&peer.system).map_or("", |system| &system.name).to_owned(),
            gpts: peer.gpts,
            colour: RGBColor(170, 170, 170),
        }));
        let most = bars.iter().map(|bar| bar.gpts).fold(0.0, f64::max);
        let unit = peers::nvcc(&benchmark.peers, element, chip).map_or(most, |peer| peer.gpts);
        groups.push(Group { kernel: benchmark.name.clone(), bars, unit });
    }
    groups
}

fn fill(svg: &mut String, groups: &[Group], title: &str) -> Result<(), Failure> {
    let height: i32 =
        TOP + GAP + groups.iter().map(|group| BAR * group.bars.len() as i32 + GAP).sum::<i32>();
    let area = SVGBackend::with_string(svg, (WIDTH, height as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    area.draw(&Text::new(title.to_owned(), (LEFT, 20), ("sans-serif", 18)))?;
    let ratios = groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.gpts / group.unit));
    let scale = LONGEST / ratios.fold(1.0, f64::max);
    let mut top = TOP;
    for group in groups {
        area.draw(&Text::new(group.kernel.clone(), (10, top), ("sans-serif", 14)))?;
        for (place, bar) in group.bars.iter().enumerate() {
            let y = top + BAR * place as i32;
            let right = LEFT + (bar.gpts / group.unit * scale) as i32;
            let corners = [(LEFT, y), (right, y + BAR - 2)];
            area.draw(&Rectangle::new(corners, bar.colour.filled()))?;
            let text = format!("{} {}", number(Some(bar.gpts)), bar.label);
            area.draw(&Text::new(text, (right + 4, y), FONT))?;
        }
        top += BAR * group.bars.len() as i32 + GAP;
    }
    let level = LEFT + scale as i32;
    area.draw(&PathElement::new([(level, TOP - GAP), (level, top)], BLACK.mix(0.5)))?;
    area.present()?;
    Ok(())
}
