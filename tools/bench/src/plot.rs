//! Drawings of results, as SVG: rates under the ceilings of the chip, and bars beside the peers.
//!
//! The roofline shows what a version has to move and computes per byte of it, so a version that
//! fuses time steps moves to the right. The bars are one drawing a type, the best of each version.

mod bars;
mod roofline;

use crate::{kernels::Element, record::Record};
use plotters::style::RGBColor;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Why there is no drawing.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The file cannot be written.
    #[error("'{}' cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The drawing library refuses.
    #[error("the drawing '{name}' cannot be made: {message}")]
    Draw {
        /// Which.
        name: String,
        /// What it said.
        message: String,
    },
}

/// Colours that differ in lightness as well, for who does not see the difference of hues.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
];

/// The colour of the entry at this place of a legend.
fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// Draws a roofline and bars for each type and chip of the results; gives the files written.
pub fn draw(records: &[Record], folder: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let mut chips: Vec<&str> = records.iter().map(|record| record.chip.as_str()).collect();
    chips.sort_unstable();
    chips.dedup();
    fs::create_dir_all(folder)
        .map_err(|error| PlotError::Write { path: folder.to_owned(), error })?;
    let mut written = Vec::new();
    for chip in chips {
        for element in Element::ALL {
            let of_both = |record: &&Record| record.chip == chip && record.r#type == element;
            let chosen: Vec<Record> = records.iter().filter(of_both).cloned().collect();
            if chosen.is_empty() {
                continue;
            }
            let drawings = [
                ("roofline", roofline::draw(&chosen, element, chip)),
                ("bars", bars::draw(&chosen, element, chip)),
            ];
            for (kind, drawing) in drawings {
                let name = format!("{kind}-{}-{element}.svg", output_name(chip));
                let svg =
                    drawing.map_err(|message| PlotError::Draw { name: name.clone(), message })?;
                let path = folder.join(name);
                fs::write(&path, svg + "\n")
                    .map_err(|error| PlotError::Write { path: path.clone(), error })?;
                written.push(path);
            }
        }
    }
    Ok(written)
}

/// A chip's name as part of a file's: `nvidia-h200`.
fn output_name(chip: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    chip.chars().map(letter).collect()
}

/// The versions of some results, in the order of their first line.
fn versions(records: &[Record]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for record in records {
        if !names.contains(&record.version.as_str()) {
            names.push(&record.version);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;

    #[test]
    fn each_type_has_its_two_drawings() {
        let folder = tempfile::tempdir().unwrap();
        let records = [
            sample("j2d5pt", Element::F64, 1.0),
            sample("heat", Element::F64, 2.5),
            sample("hypterm", Element::F32, 1.5),
        ];
        let written = draw(&records, folder.path()).unwrap();
        let names: Vec<_> = written.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(
            names,
            [
                "roofline-nvidia-h200-f64.svg",
                "bars-nvidia-h200-f64.svg",
                "roofline-nvidia-h200-f32.svg",
                "bars-nvidia-h200-f32.svg"
            ]
        );
        let text = |index: usize| fs::read_to_string(&written[index]).unwrap();
        // A point for each measurement, named, and the ceilings.
        assert_eq!(text(0).matches("<circle").count(), 2 + 1);
        for word in ["j2d5pt", "heat", "GFLOP/s", "memory 4280 GB/s", "NVIDIA H200"] {
            assert!(text(0).contains(word), "{word}");
        }
        assert!(!text(2).contains("j2d5pt"));
        // The peers are beside ours.
        for word in ["plain", "EBISU", "STENCILGEN", "j2d5pt", "GPt/s"] {
            assert!(text(1).contains(word), "{word}");
        }
    }

    #[test]
    fn a_chip_without_known_facts_has_no_ceilings_and_no_peers() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record { chip: "A chip".to_owned(), ..sample("j2d5pt", Element::F64, 1.0) };
        let written = draw(&[record], folder.path()).unwrap();
        let roofline = fs::read_to_string(&written[0]).unwrap();
        assert!(roofline.contains("j2d5pt") && !roofline.contains("memory"), "{roofline}");
        assert!(!fs::read_to_string(&written[1]).unwrap().contains("EBISU"));
    }

    #[test]
    fn the_same_results_give_the_same_bytes() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let records = [sample("j2d5pt", Element::F64, 1.0)];
        let bytes = |folder: &Path| -> Vec<Vec<u8>> {
            draw(&records, folder).unwrap().iter().map(|path| fs::read(path).unwrap()).collect()
        };
        assert_eq!(bytes(one.path()), bytes(two.path()));
    }
}
