//! Rates over intensity, both logarithmic, under what the chip's memory and arithmetic allow.

use super::{colour, versions};
use crate::{
    kernels::Element,
    record::{Ceilings, Record},
    table::{self, Rows},
};
use plotters::{coord::combinators::LogCoord, prelude::*};
use std::ops::Range;

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;
type Failure = Box<dyn std::error::Error>;

/// Width and height of the drawing.
const SIZE: (u32, u32) = (1100, 720);
const FONT: (&str, u32) = ("sans-serif", 13);

/// The drawing, of the best plan of each kernel and version.
pub(super) fn draw(records: &[Record], element: Element, chip: &str) -> Result<String, String> {
    let mut svg = String::new();
    fill(&mut svg, records, element, chip).map_err(|error| error.to_string())?;
    Ok(svg)
}

fn fill(svg: &mut String, records: &[Record], element: Element, chip: &str) -> Result<(), Failure> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let best: Vec<&Record> =
        table::rows(records, Rows::Best).into_iter().map(|row| row.record).collect();
    let ceilings = Ceilings::of(chip, element);
    let (x, y) = ranges(&best, ceilings);
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("{element} on {chip}"), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(x.clone().log_scale(), y.log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("arithmetic intensity (FLOP/byte), FLOP as the paper counts them")
        .y_desc("GFLOP/s")
        .draw()?;
    if let Some(ceilings) = ceilings {
        draw_ceilings(&mut chart, &x, ceilings)?;
    }
    for (place, version) in versions(records).into_iter().enumerate() {
        let of_version: Vec<&Record> =
            best.iter().filter(|record| record.version == version).copied().collect();
        draw_points(&mut chart, &of_version, version, colour(place))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    Ok(())
}

/// Operations for each byte that has to be moved.
fn intensity(record: &Record) -> f64 {
    record.gflops / record.gbs
}

/// Everything that is drawn, and some room.
fn ranges(records: &[&Record], ceilings: Option<Ceilings>) -> (Range<f64>, Range<f64>) {
    let around = |values: Vec<f64>| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        least / 2.0..most * 2.0
    };
    let mut rates: Vec<f64> = records.iter().map(|record| record.gflops).collect();
    rates.extend(ceilings.map(|most| most.gflops));
    (around(records.iter().map(|record| intensity(record)).collect()), around(rates))
}

/// The bandwidth as a slope, and the two peaks of arithmetic as levels.
fn draw_ceilings(chart: &mut Chart, x: &Range<f64>, ceilings: Ceilings) -> Result<(), Failure> {
    let Ceilings { gbs, gflops, gflops_unfused } = ceilings;
    let meet = (gflops / gbs).clamp(x.start, x.end);
    let slope = [(x.start, x.start * gbs), (meet, meet * gbs)];
    chart.draw_series(LineSeries::new(slope, BLACK.stroke_width(2)))?;
    chart.draw_series(LineSeries::new([(meet, gflops), (x.end, gflops)], BLACK.stroke_width(2)))?;
    let unfused = (gflops_unfused / gbs).clamp(x.start, x.end);
    let level = [(unfused, gflops_unfused), (x.end, gflops_unfused)];
    chart.draw_series(LineSeries::new(level, BLACK.mix(0.4).stroke_width(1)))?;
    let words = [
        (x.start * 1.05, x.start * 1.05 * gbs * 1.25, format!("memory {gbs:.0} GB/s")),
        (meet, gflops * 1.2, format!("fused multiply-adds {gflops:.0} GFLOP/s")),
        (unfused, gflops_unfused * 1.2, format!("none fused {gflops_unfused:.0} GFLOP/s")),
    ];
    chart.draw_series(words.map(|(x, y, word)| Text::new(word, (x, y), FONT)))?;
    Ok(())
}

fn draw_points(
    chart: &mut Chart,
    records: &[&Record],
    version: &str,
    colour: RGBColor,
) -> Result<(), Failure> {
    let points = records.iter().map(|record| {
        EmptyElement::at((intensity(record), record.gflops))
            + Circle::new((0, 0), 4, colour.filled())
            + Text::new(record.kernel.clone(), (6, -6), FONT)
    });
    chart
        .draw_series(points)?
        .label(version)
        .legend(move |(x, y)| Circle::new((x + 8, y), 4, colour.filled()));
    Ok(())
}
