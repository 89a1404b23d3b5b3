//! Ghost cells of coefficients that are filled once, before the loop, from the other end of a
//! periodic dimension.

use super::program::{Cells, Program};
use crate::random_imports::Random;
use std::fmt::Write;

/// A store to a coefficient before the loop: a copy of its own cells at a distance, or a number.
#[derive(Clone, Debug)]
pub struct Wrap {
    pub coefficient: usize,
    pub points: Cells,
    /// Where the cells are that are copied; without, a number is stored.
    pub offset: Option<Vec<i64>>,
}

/// What fills the ghost cells of some coefficients: mostly all that are read, sometimes fewer, in
/// the wrong order, or overwritten again.
pub fn draw(random: &mut Random, program: &Program, periodic: &[usize]) -> Vec<Wrap> {
    let mut wraps = Vec::new();
    for coefficient in 0..program.coefficients {
        if periodic.is_empty() || random.one_in(4) {
            continue;
        }
        let mut own = Vec::new();
        for d in periodic {
            own.extend(sides(random, program, (coefficient, *d)));
        }
        match random.below(10) {
            0 => drop(own.remove(random.below(own.len()))),
            1 => own.push(number(random, program, coefficient)),
            2 => own.insert(0, number(random, program, coefficient)),
            3 => {
                let chosen = random.below(own.len());
                if let Some(offset) = &mut own[chosen].offset {
                    offset[periodic[0]] += 1;
                }
            }
            _ => {}
        }
        wraps.extend(own);
    }
    wraps
}

fn sides(random: &mut Random, program: &Program, (coefficient, d): (usize, usize)) -> Vec<Wrap> {
    let domain = &program.domain;
    let width = if random.one_in(8) { 1 } else { 2 };
    let sides = [(domain.lower[d] - width, domain.extent(d)), (domain.upper[d], -domain.extent(d))];
    let sides = sides.map(|(from, distance)| {
        let mut points = domain.clone();
        (points.lower[d], points.upper[d]) = (from, from + width);
        let mut offset = vec![0; domain.lower.len()];
        offset[d] = distance;
        Wrap { coefficient, points, offset: Some(offset) }
    });
    sides.into()
}

/// A number for a few points, somewhere.
fn number(random: &mut Random, program: &Program, coefficient: usize) -> Wrap {
    let mut points = program.domain.wider(1);
    for d in 0..points.lower.len() {
        points.lower[d] += random.below(points.extent(d) as usize) as i64;
        points.upper[d] = points.lower[d] + 1;
    }
    Wrap { coefficient, points, offset: None }
}

impl Program {
    /// Prints what is stored to coefficients before the loop.
    pub fn print_wraps(&self, text: &mut String) {
        let element = self.element;
        for (number, Wrap { coefficient, points, offset }) in self.wraps.iter().enumerate() {
            let (lower, upper) = (&points.lower, &points.upper);
            let value = match offset {
                Some(offset) => format!("stencil.access %x{offset:?} : !temp"),
                None => format!("arith.constant 0.25 : {element}"),
            };
            writeln!(
                text,
                "  %wrap{number}_0 = stencil.load %k{coefficient} : !coefficient -> !temp
  %wrap{number} = stencil.apply(%x = %wrap{number}_0 : !temp) -> (!temp)
      attributes {{stencil.stage = \"wrap{number}\"}} {{
    %value = {value}
    stencil.return %value : {element}
  }}
  stencil.store %wrap{number} to %k{coefficient}(<{lower:?}, {upper:?}>) : !temp to !coefficient"
            )
            .expect("a string takes text");
        }
    }
}
