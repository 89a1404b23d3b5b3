//! A roofline: what memory and arithmetic of a chip allow, and the kernels of a program below it.
//!
//! Intensity is operations for each byte that has to be moved, as the report counts both: each
//! value read and written once, for all time steps of a sweep. A kernel is on the roof as bounded,
//! and below it as predicted; nothing is measured.

use plotters::prelude::*;
use std::fmt::Write;

type Failure = Box<dyn std::error::Error>;

/// The roof of a chip.
#[derive(Clone, Debug, PartialEq)]
pub struct Roof {
    /// Bytes in a second that a copy moves, read and written.
    pub bytes_per_s: f64,
    /// Operations in a second at most, by what they are called.
    pub peaks: Vec<(String, f64)>,
}

/// A kernel below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its name, and those of kernels like it.
    pub name: String,
    /// Operations of a point.
    pub flops: f64,
    /// Bytes of a point that have to be moved.
    pub bytes: f64,
    /// What bounds it.
    pub by: String,
    /// Points in a second as bounded.
    pub bound_per_s: f64,
    /// Points in a second as predicted, where they are.
    pub predicted_per_s: Option<f64>,
}

impl Mark {
    fn intensity(&self) -> f64 {
        self.flops / self.bytes
    }

    /// Intensity, and operations in a second: as predicted, or as bounded.
    fn place(&self) -> (f64, f64) {
        (self.intensity(), self.flops * self.predicted_per_s.unwrap_or(self.bound_per_s))
    }

    /// A kernel that only copies is at no intensity.
    fn has_place(&self) -> bool {
        self.flops > 0.0 && self.bytes > 0.0
    }
}

impl Roof {
    fn highest(&self) -> f64 {
        self.peaks.iter().map(|(_, flops)| *flops).fold(0.0, f64::max)
    }

    /// Operations in a second under a peak, at an intensity.
    fn at(&self, peak: f64, intensity: f64) -> f64 {
        peak.min(self.bytes_per_s * intensity)
    }

    /// The ranges of intensities and of operations in a second that show the roof and all kernels.
    fn ranges(&self, marks: &[Mark]) -> ((f64, f64), (f64, f64)) {
        let ridge = self.highest() / self.bytes_per_s;
        let places = marks.iter().filter(|mark| mark.has_place()).map(Mark::place);
        let places = places.collect::<Vec<_>>();
        let least = |of: fn(&(f64, f64)) -> f64, first: f64| {
            places.iter().map(of).fold(first, f64::min) / 2.0
        };
        let most_intense = places.iter().map(|(x, _)| *x).fold(4.0 * ridge, f64::max);
        let lowest = least(|(_, y)| *y, self.highest());
        let least_intense = least(|(x, _)| *x, ridge);
        ((least_intense, most_intense), (lowest, 2.0 * self.highest()))
    }
}

/// Width and height of the drawing.
const SIZE: (u32, u32) = (1100, 700);
const FONT: (&str, u32) = ("sans-serif", 13);
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
];

/// Draws a roofline, as SVG.
///
/// # Errors
/// What the drawing library says.
pub fn draw(title: &str, roof: &Roof, marks: &[Mark]) -> Result<String, String> {
    let mut svg = String::new();
    fill(&mut svg, title, roof, marks).map_err(|error| error.to_string())?;
    Ok(svg + "\n")
}

fn fill(svg: &mut String, title: &str, roof: &Roof, marks: &[Mark]) -> Result<(), Failure> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (x, y) = roof.ranges(marks);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(90)
        .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("FLOP for each byte that has to be moved")
        .y_desc("FLOP in a second")
        .x_label_formatter(&|x| format!("{x}"))
        .y_label_formatter(&|y| rate(*y))
        .draw()?;
    for (name, peak) in &roof.peaks {
        let ridge = peak / roof.bytes_per_s;
        let line = [(x.0, roof.at(*peak, x.0)), (ridge, *peak), (x.1, *peak)];
        chart.draw_series(LineSeries::new(line, BLACK.stroke_width(2)))?;
        let label = EmptyElement::at((x.1, *peak))
            + Text::new(format!("{name}, {}", rate(*peak)), (-190, -16), FONT);
        chart.draw_series([label])?;
    }
    for (number, mark) in marks.iter().filter(|mark| mark.has_place()).enumerate() {
        let (colour, place) = (COLOURS[number % COLOURS.len()], mark.place());
        let circle = match mark.predicted_per_s {
            Some(_) => colour.filled(),
            None => colour.stroke_width(2),
        };
        chart
            .draw_series([Circle::new(place, 6, circle)])?
            .label(label(mark))
            .legend(move |(x, y)| Circle::new((x + 9, y), 5, colour.filled()));
        let bounded = mark.flops * mark.bound_per_s;
        let below = [place, (place.0, bounded)];
        chart.draw_series(DashedLineSeries::new(below, 4, 4, colour.stroke_width(1)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .label_font(FONT)
        .draw()?;
    area.present()?;
    Ok(())
}

/// What a mark is called beside its colour.
fn label(mark: &Mark) -> String {
    let Mark { name, by, bound_per_s, predicted_per_s, .. } = mark;
    match predicted_per_s {
        Some(predicted) => {
            let percent = 100.0 * predicted / bound_per_s;
            format!("{name}: {} predicted, {percent:.0} % of the bound", points(*predicted))
        }
        None => format!("{name}: {} by {by}, nothing predicted", points(*bound_per_s)),
    }
}

/// A rate of operations.
fn rate(flops: f64) -> String {
    match flops {
        _ if flops >= 1e12 => format!("{:.1} TFLOP/s", flops / 1e12),
        _ if flops >= 1e9 => format!("{:.1} GFLOP/s", flops / 1e9),
        _ => format!("{:.1} MFLOP/s", flops / 1e6),
    }
}

fn points(per_s: f64) -> String {
    format!("{:.1} GPt/s", per_s / 1e9)
}

/// Columns and rows of the drawing in text.
const TEXT_SIZE: (usize, usize) = (66, 18);

/// The same for a terminal: a drawing in characters, and a line for each kernel.
pub fn text(title: &str, roof: &Roof, marks: &[Mark]) -> String {
    let (x, y) = roof.ranges(marks);
    let (columns, rows) = TEXT_SIZE;
    let part = |value: f64, (low, high): (f64, f64)| {
        ((value.ln() - low.ln()) / (high.ln() - low.ln())).clamp(0.0, 1.0)
    };
    let column = |intensity: f64| (part(intensity, x) * (columns - 1) as f64).round() as usize;
    let row = |flops: f64| rows - 1 - (part(flops, y) * (rows - 1) as f64).round() as usize;
    let mut cells = vec![vec![' '; columns]; rows];
    let intensity = |at: usize| x.0 * (x.1 / x.0).powf(at as f64 / (columns - 1) as f64);
    for (at, intensity) in (0..columns).map(|at| (at, intensity(at))) {
        for (_, peak) in &roof.peaks {
            let is_flat = roof.bytes_per_s * intensity >= *peak;
            cells[row(roof.at(*peak, intensity))][at] = if is_flat { '-' } else { '/' };
        }
    }
    let letters = ('A'..='Z').chain('a'..='z').chain(std::iter::repeat('*'));
    let named = marks.iter().filter(|mark| mark.has_place()).zip(letters).collect::<Vec<_>>();
    for (mark, letter) in &named {
        let (intensity, flops) = mark.place();
        cells[row(flops)][column(intensity)] = *letter;
    }
    let mut out = format!("{title}\n\n");
    for (at, line) in cells.iter().enumerate() {
        let number = match at {
            0 => rate(y.1),
            last if last + 1 == rows => rate(y.0),
            _ => String::new(),
        };
        let line = line.iter().collect::<String>();
        let _ = writeln!(out, "{number:>14} |{}", line.trim_end());
    }
    let ends = format!("{:.2}", x.0);
    let width = columns - ends.len();
    let _ = writeln!(out, "{:>14} +{}", "", "-".repeat(columns));
    let _ = writeln!(out, "{:>16}{ends}{:>width$.1}  FLOP/byte\n", "", x.1);
    for (name, peak) in &roof.peaks {
        let _ = writeln!(out, "roof      {name}: {}", rate(*peak));
    }
    let _ = writeln!(out, "roof      copies: {:.2} TB/s", roof.bytes_per_s / 1e12);
    for (mark, letter) in named {
        let intensity = mark.intensity();
        let _ = writeln!(out, "{letter}         {}; {intensity:.2} FLOP/byte", label(mark));
    }
    for mark in marks.iter().filter(|mark| !mark.has_place()) {
        let _ = writeln!(out, "          {}; no arithmetic", label(mark));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roof() -> Roof {
        let peaks = vec![("f64 arithmetic".to_owned(), 32e12)];
        Roof { bytes_per_s: 4e12, peaks }
    }

    fn mark(name: &str, flops: f64, predicted_per_s: Option<f64>) -> Mark {
        let bound_per_s = 4e12 / 16.0;
        let (name, by) = (name.to_owned(), "memory".to_owned());
        Mark { name, flops, bytes: 16.0, by, bound_per_s, predicted_per_s }
    }

    #[test]
    fn kernels_are_below_the_roof() {
        let marks = [mark("star", 8.0, Some(125e9)), mark("box", 54.0, None)];
        let svg = draw("roofline of a & b", &roof(), &marks).unwrap();
        for text in [
            "roofline of a &amp; b",
            "f64 arithmetic, 32.0 TFLOP/s",
            "star: 125.0 GPt/s predicted, 50 % of the bound",
            "box: 250.0 GPt/s by memory, nothing predicted",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg, draw("roofline of a & b", &roof(), &marks).unwrap());
        let text = text("roofline", &roof(), &marks);
        assert!(text.contains("A         star: 125.0 GPt/s predicted"), "{text}");
        let line = |letter: char| {
            let at = |line: &&str| line.contains('|') && line.contains(letter);
            text.lines().position(|line| at(&line)).unwrap()
        };
        // What is only bounded is on the roof, and what is more intense is higher there.
        assert!(line('B') < line('A'), "{text}");
        assert!(text.contains('/') && text.contains("roof      copies: 4.00 TB/s"), "{text}");
    }

    #[test]
    fn a_copy_has_no_place_but_is_named() {
        let marks = [mark("copy", 0.0, None)];
        assert!(draw("copies", &roof(), &marks).is_ok());
        let text = text("copies", &roof(), &marks);
        assert!(text.contains("copy: 250.0 GPt/s by memory, nothing predicted; no arithmetic"));
    }

    #[test]
    fn the_ridge_is_in_sight() {
        let roof = roof();
        let ((least, most), (lowest, highest)) = roof.ranges(&[mark("star", 8.0, Some(1e9))]);
        assert!(least <= 0.25 && most >= 32.0 && lowest <= 4e9 && highest >= 64e12);
        assert_eq!(roof.at(32e12, 8.0), 32e12);
        assert_eq!(roof.at(32e12, 2.0), 8e12);
    }
}
