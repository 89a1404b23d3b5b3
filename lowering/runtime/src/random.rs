//! Reproducible content for unset fields.
//!
//! The generator is a function, not a stream: a cell depends on the seed, the position of its
//! argument and its own index, so that any part can be generated in any order, by any program.
//! With wrapping 64-bit arithmetic, and `G = 0x9e3779b97f4a7c15`,
//!
//! ```text
//! mix(z):  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
//!          z = (z ^ z >> 27) * 0x94d049bb133111eb
//!          z ^ z >> 31
//! word(seed, position, cell) = mix(mix(seed + G * (position + 1)) + G * (cell + 1))
//! ```
//!
//! (`mix` is the finalizer of SplitMix64 [Steele, Lea, Flood, Fast splittable pseudorandom number
//! generators, OOPSLA 2014].) A cell is made from a word `w`:
//!
//! | type | value |
//! | --- | --- |
//! | `i1` | the top bit of `w` |
//! | other integers, `index` | `1 + ((w >> 32) * 7 >> 32)`: 1 to 7 |
//! | floats with `m` fraction bits (10, 7, 23, 52) | `0.5 + (w >> (64 - m)) / 2^m`, in [0.5, 1.5) |
//!
//! All floats made are multiples of `2^-m` below 1.5, hence exact in their type. The range is away
//! from zero, subnormals and overflow, so that products and quotients of many cells stay finite.

use crate::scalar::{ScalarType, ScalarValue};
use rayon::prelude::*;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Cells that one thread makes at once.
const CHUNK_CELLS: usize = 1 << 16;

fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The value of one cell of the argument at `position`.
pub fn random_cell(seed: u64, position: usize, element: ScalarType, cell: u64) -> ScalarValue {
    make(argument_key(seed, position), element, cell)
}

/// A scalar: the first cell that a field at this position would have.
pub fn random_scalar(seed: u64, position: usize, ty: ScalarType) -> ScalarValue {
    random_cell(seed, position, ty, 0)
}

/// The content of a field of `elements` cells, as in memory; `None` if memory does not suffice.
pub fn random_field(
    seed: u64,
    position: usize,
    element: ScalarType,
    elements: u64,
) -> Option<Vec<u8>> {
    let size = usize::try_from(elements).ok()?.checked_mul(element.bytes())?;
    let mut content = Vec::new();
    content.try_reserve_exact(size).ok()?;
    content.resize(size, 0);
    fill(argument_key(seed, position), element, 0, &mut content);
    Some(content)
}

/// The content of cells of such a field, from one of them on.
pub fn random_cells(
    seed: u64,
    position: usize,
    element: ScalarType,
    first: u64,
    content: &mut [u8],
) {
    fill(argument_key(seed, position), element, first, content);
}

fn fill(key: u64, element: ScalarType, first: u64, content: &mut [u8]) {
    let bytes = element.bytes();
    content.par_chunks_mut(CHUNK_CELLS * bytes).enumerate().for_each(|(chunk, content)| {
        let first = first + (chunk * CHUNK_CELLS) as u64;
        for (cell, target) in (first..).zip(content.chunks_exact_mut(bytes)) {
            target.copy_from_slice(&make(key, element, cell).bits().to_le_bytes()[..bytes]);
        }
    });
}

fn argument_key(seed: u64, position: usize) -> u64 {
    mix(seed.wrapping_add(GOLDEN.wrapping_mul((position as u64).wrapping_add(1))))
}

fn make(key: u64, element: ScalarType, cell: u64) -> ScalarValue {
    let word = mix(key.wrapping_add(GOLDEN.wrapping_mul(cell.wrapping_add(1))));
    match element {
        ScalarType::I1 => ScalarValue::from_bits(element, word >> 63),
        ScalarType::F16 => float(element, word, 10),
        ScalarType::Bf16 => float(element, word, 7),
        ScalarType::F32 => float(element, word, 23),
        ScalarType::F64 => float(element, word, 52),
        _ => ScalarValue::from_bits(element, 1 + (((word >> 32) * 7) >> 32)),
    }
}

fn float(element: ScalarType, word: u64, fraction_bits: u32) -> ScalarValue {
    let steps = (word >> (64 - fraction_bits)) as f64;
    ScalarValue::from_f64(element, 0.5 + steps / (1u64 << fraction_bits) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_exact_and_in_range() {
        for element in [ScalarType::F16, ScalarType::Bf16, ScalarType::F32, ScalarType::F64] {
            let fraction_bits = match element {
                ScalarType::F16 => 10,
                ScalarType::Bf16 => 7,
                ScalarType::F32 => 23,
                _ => 52,
            };
            let mut sum = 0.0;
            for cell in 0..4096 {
                let value = random_cell(7, 2, element, cell).to_f64();
                assert!((0.5..1.5).contains(&value), "{element} {value}");
                let scaled = value * f64::from(fraction_bits).exp2();
                assert_eq!(scaled, scaled.trunc(), "{element} {value} is a multiple of the step");
                sum += value;
            }
            assert!((sum / 4096.0 - 1.0).abs() < 0.02, "{element}: mean {}", sum / 4096.0);
        }
    }

    #[test]
    fn integers_take_every_value_from_one_to_seven() {
        for element in [ScalarType::I8, ScalarType::I32, ScalarType::Index] {
            let mut seen = [0; 9];
            (0..7000).for_each(|cell| {
                seen[random_cell(1, 0, element, cell).signed() as usize] += 1;
            });
            assert_eq!((seen[0], seen[8]), (0, 0));
            assert!(seen[1..8].iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
        }
        let truths = (0..1000).filter(|&c| random_cell(1, 0, ScalarType::I1, c).is_true()).count();
        assert!((400..600).contains(&truths));
    }

    /// Computed from the formula in the head of this file with Python integers.
    #[test]
    fn the_formula_is_what_the_document_says() {
        assert_eq!(random_cell(0, 0, ScalarType::F64, 0).bits(), 0x3ff2_706d_d2f4_d197);
        assert_eq!(random_cell(42, 3, ScalarType::F32, 1000).bits(), 0x3f9f_b830);
    }

    #[test]
    fn threads_make_what_one_would() {
        let elements = 2 * CHUNK_CELLS as u64 + 3;
        let content = random_field(5, 1, ScalarType::F16, elements).unwrap();
        for cell in [0, 1, CHUNK_CELLS as u64 - 1, CHUNK_CELLS as u64, elements - 1] {
            let expected = random_cell(5, 1, ScalarType::F16, cell).to_bytes();
            assert_eq!(content[2 * cell as usize..][..2], expected);
        }
    }

    #[test]
    fn seed_position_and_cell_matter() {
        let cells = |seed, position| random_field(seed, position, ScalarType::F64, 16).unwrap();
        assert_eq!(cells(1, 1), cells(1, 1));
        assert_ne!(cells(1, 1), cells(1, 2));
        assert_ne!(cells(1, 1), cells(2, 1));
        assert_eq!(cells(1, 1)[..8], random_scalar(1, 1, ScalarType::F64).to_bytes());
        assert_eq!(random_field(1, 1, ScalarType::F64, u64::MAX), None);
    }
}
