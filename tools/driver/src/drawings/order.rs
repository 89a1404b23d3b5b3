//! Registers that are live along the order of the operations, in source order and as scheduled,
//! and below it where the scheduled order loads, computes and stores.

use super::operations::Operations;
use plotters::{coord::types::RangedCoordi64, prelude::*};
use stencil_code::{Dag, Kind};

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordi64, RangedCoordi64>>;
type Failure = Box<dyn std::error::Error>;

/// Width and height of the drawing, and of what is drawn below the lines.
const SIZE: (u32, u32) = (1100, 700);
const BELOW: u32 = 150;
/// Room for the numbers and words left of both parts, so that they align.
const LEFT: u32 = 110;
const FONT: (&str, u32) = ("sans-serif", 13);

const SOURCE: RGBColor = RGBColor(230, 159, 0);
const SCHEDULED: RGBColor = RGBColor(0, 114, 178);

/// The rows below the lines, from the lowest.
const ROWS: [&str; 4] = ["stores", "other", "multiply-adds", "loads"];

/// Draws one piece of code in two orders.
///
/// # Errors
/// What the drawing library says.
pub fn draw(title: &str, source: &Dag, scheduled: &Dag) -> Result<String, String> {
    let mut svg = String::new();
    fill(&mut svg, title, source, scheduled).map_err(|error| error.to_string())?;
    Ok(svg + "\n")
}

fn fill(svg: &mut String, title: &str, source: &Dag, scheduled: &Dag) -> Result<(), Failure> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(SIZE.1 - BELOW);
    let orders = [
        ("source order", Operations::of(source), SOURCE),
        ("scheduled order", Operations::of(scheduled), SCHEDULED),
    ];
    let count = orders.iter().map(|(_, order, _)| order.all.len()).max().unwrap_or(0) as i64;
    let most = orders.iter().map(|(_, order, _)| order.max_live).max().unwrap_or(0);
    let mut chart = ChartBuilder::on(&above)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(0..count + 1, 0..i64::from(most + most / 4 + 2))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("operation, by its place in the order")
        .y_desc("live registers after it, of 32 bits")
        .draw()?;
    for (name, order, colour) in &orders {
        draw_line(&mut chart, name, order, *colour, count)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .label_font(FONT)
        .draw()?;
    let rows = ROWS.len() as i64;
    let mut chart = ChartBuilder::on(&below)
        .margin(12)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(0..count + 1, 0..rows)?;
    draw_rows(&mut chart, scheduled, &orders[1].1)?;
    area.present()?;
    Ok(())
}

/// What is live after each operation, and a level at the most that is.
fn draw_line(
    chart: &mut Chart,
    name: &str,
    order: &Operations,
    colour: RGBColor,
    count: i64,
) -> Result<(), Failure> {
    let live = order.all.iter().map(|operation| i64::from(operation.live));
    let points = std::iter::once(i64::from(order.live_before)).chain(live);
    let points = points.enumerate().map(|(number, live)| (number as i64, live));
    chart
        .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
        .label(format!("{name}, MAXLIVE {}", order.max_live))
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    let most = i64::from(order.max_live);
    let level = [(0, most), (count + 1, most)];
    chart.draw_series(DashedLineSeries::new(level, 6, 4, colour.stroke_width(1)))?;
    Ok(())
}

/// A stroke for each operation, in the row of its kind.
fn draw_rows(chart: &mut Chart, code: &Dag, order: &Operations) -> Result<(), Failure> {
    let height = 0.6;
    let row = |kind: Kind| match kind {
        Kind::Store => 0,
        Kind::Accumulate(_) => 2,
        Kind::Load => 3,
        _ => 1,
    };
    let (_, pixels) = chart.plotting_area().dim_in_pixel();
    let stroke = (f64::from(pixels) / ROWS.len() as f64 * height) as i32;
    let strokes = order.all.iter().enumerate().map(|(place, operation)| {
        let row = row(code.items()[operation.item.index()].kind);
        EmptyElement::at((place as i64 + 1, row))
            + PathElement::new([(0, 0), (0, -stroke)], SCHEDULED.stroke_width(1))
    });
    chart.draw_series(strokes)?;
    let words = ROWS.iter().enumerate().map(|(row, word)| {
        EmptyElement::at((0, row as i64)) + Text::new(*word, (8 - LEFT as i32, -14), FONT)
    });
    chart.draw_series(words)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::operations::tests::multiply_add, *};

    #[test]
    fn both_orders_are_lines_with_their_most() {
        // The same, but what is given and what is loaded are read again after it.
        let mut items = multiply_add().items().to_vec();
        (items[1].live_out, items[4].live_out) = (true, true);
        let late = Dag::new(items);
        let svg = draw("kernel a & b", &late, &multiply_add()).unwrap();
        for text in [
            "kernel a &amp; b",
            "source order, MAXLIVE 6",
            "scheduled order, MAXLIVE 4",
            "live registers after it, of 32 bits",
            "operation, by its place in the order",
            "multiply-adds",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg, draw("kernel a & b", &late, &multiply_add()).unwrap());
    }

    #[test]
    fn code_without_operations_has_a_drawing() {
        let nothing = Dag::new(Vec::new());
        assert!(draw("nothing", &nothing, &nothing).unwrap().contains("MAXLIVE 0"));
    }
}
