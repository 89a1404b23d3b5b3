//! A domain cut into windows along its slowest dimension, one for each device.
//!
//! A device runs *the same program on a smaller domain*: what `stencil-resize-domain` makes of it
//! for the extent of a window. All windows have one extent, so that one compiled program serves
//! all devices. A plane of a window stands for a plane of the whole domain: the planes of a window
//! are shifted by a number, or by two, one before and one from the window's *seam* on.
//!
//! Each device *owns* planes. The owned planes partition the domain; a window holds those of its
//! device and at least `halo` planes beyond them on either side, unless the domain ends there. At
//! such a cut the program meets the end of its domain, or the seam, where the whole program goes
//! on: what it computes there is wrong, and more so with every time step. Which planes are still
//! right is asked of [`super::plane_flow`].
//!
//! Windows with a seam are for programs in which one end of the domain depends on the other, as
//! periodic ones: the first and the last device hold both ends, and the seam is where the planes
//! in between are missing.

use super::{
    plane_flow::Needs,
    planes::{FAR, Planes},
};
use melior::{
    Context,
    ir::{
        Attribute, Identifier,
        attribute::{ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute},
    },
};
use std::ops::Range;
use stencil_dialects::build;
use stencil_model::devices::EvenWindows;

/// Time steps between exchanges up to which it is said for each which planes are needed after it.
const COMPUTED_STEPS_MAX: i64 = 1024;

/// What a device holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The planes of the whole domain that it owns.
    pub owned: Range<i64>,
    /// What takes a plane of the window to the one that it stands for.
    pub shift: i64,
    /// From this plane of the window on, another shift.
    pub seam: Option<(i64, i64)>,
}

impl Window {
    /// Planes of the window with one shift each.
    fn pieces(&self) -> Vec<(Range<i64>, i64)> {
        match self.seam {
            None => vec![(-FAR..FAR, self.shift)],
            Some((seam, shift)) => vec![(-FAR..seam, self.shift), (seam..FAR, shift)],
        }
    }

    /// The planes of the window that stand for planes of a range.
    pub fn of_whole(&self, planes: Range<i64>) -> Planes {
        let pieces = self.pieces().into_iter();
        let found = pieces
            .map(|(piece, shift)| Planes::of(planes.clone()).moved(-shift).and(&Planes::of(piece)));
        found.fold(Planes::none(), |all, one| all.or(&one))
    }

    /// The planes of the window for which the one at an offset stands for what is at another
    /// offset, `whole`, in the whole domain.
    pub fn agreeing(&self, offset: i64, whole: i64) -> Planes {
        let mut found = Planes::none();
        for (here, shift) in self.pieces() {
            for (there, other) in self.pieces() {
                if other + offset == shift + whole {
                    let reading = Planes::of(there).moved(-offset).and(&Planes::of(here.clone()));
                    found = found.or(&reading);
                }
            }
        }
        found
    }

    /// The plane that one of the window stands for.
    pub fn whole_of(&self, plane: i64) -> i64 {
        match self.seam {
            Some((seam, shift)) if plane >= seam => plane + shift,
            _ => plane + self.shift,
        }
    }
}

/// How a domain is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Margins {
    /// Planes that a window has beyond its owned ones at a cut.
    pub halo: i64,
    /// Planes at the other end of the domain that the first and the last window have; none where
    /// no end depends on the other.
    pub other_end: i64,
}

/// The windows of a domain, and how long they are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decomposition {
    /// The planes of the whole domain.
    pub whole: Range<i64>,
    /// Planes of a window.
    pub extent: i64,
    /// Planes beyond the owned ones.
    pub halo: i64,
    /// Time steps between exchanges; none for a program without a time loop.
    pub steps: Option<i64>,
    /// One for each device.
    pub windows: Vec<Window>,
    /// What each device needs for its time steps; empty without a time loop.
    pub needs: Vec<Needs>,
}

/// Where a domain is cut so that windows are as small as they can be: devices at the ends need
/// fewer planes of others, and own more. None if a device would own nothing.
pub fn even_cuts(whole: Range<i64>, devices: i64, margins: Margins) -> Option<Vec<i64>> {
    let Margins { halo, other_end } = margins;
    let EvenWindows { planes, shorter } =
        EvenWindows::of(whole.end - whole.start, devices, halo, other_end)?;
    let first = whole.start + planes - halo - other_end;
    // A plane less for each device before the cut that is one of the last ones.
    let less = |cut: i64| (cut + 1 + shorter - devices).max(0);
    Some((0..devices - 1).map(|cut| first + cut * (planes - 2 * halo) - less(cut)).collect())
}

/// The windows between cuts; none if, for several devices, they would be as large as the domain, or
/// have more than half of it beyond what their devices own.
pub fn windows(whole: Range<i64>, cuts: &[i64], margins: Margins) -> Option<(i64, Vec<Window>)> {
    let Margins { halo, other_end } = margins;
    let starts = [whole.start].into_iter().chain(cuts.iter().copied());
    let owned = starts.zip(cuts.iter().copied().chain([whole.end]));
    let owned = owned.map(|(start, end)| start..end).collect::<Vec<_>>();
    let last = owned.len() - 1;
    let around = |device: usize| {
        let of_end = |is_end: bool| if is_end { other_end } else { halo };
        if last == 0 { 0 } else { of_end(device == 0) + of_end(device == last) }
    };
    let needed = (0..=last).map(|device| owned[device].end - owned[device].start + around(device));
    let extent = needed.max().expect("there is a device");
    let planes = whole.end - whole.start;
    let rest = planes - extent;
    let most = (0..=last).map(around).max().unwrap_or(0);
    if rest < 0 || (last > 0 && (rest == 0 || 2 * most > planes)) {
        return None;
    }
    let seamed = last > 0 && other_end > 0;
    let window = |(device, owned): (usize, Range<i64>)| {
        let end = whole.start + extent;
        let (shift, seam) = match device {
            0 if seamed => (0, Some((end - other_end, rest))),
            _ if device == last && seamed => (0, Some((whole.start + other_end, rest))),
            _ => ((owned.start - halo - whole.start).clamp(0, rest), None),
        };
        Window { owned, shift, seam }
    };
    Some((extent, owned.into_iter().enumerate().map(window).collect()))
}

impl Decomposition {
    /// The attribute.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let number = |name, number: i64| {
            let number = build::attribute(context, &format!("{number} : i64"));
            (Identifier::new(context, name), number)
        };
        let window = |window: &Window| {
            let mut numbers = vec![window.owned.start, window.owned.end, window.shift];
            numbers.extend(window.seam.into_iter().flat_map(|(seam, shift)| [seam, shift]));
            Attribute::from(DenseI64ArrayAttribute::new(context, &numbers))
        };
        let windows = self.windows.iter().map(window).collect::<Vec<_>>();
        let windows = ArrayAttribute::new(context, &windows).into();
        let mut entries = vec![
            number("lower", self.whole.start),
            number("upper", self.whole.end),
            number("halo", self.halo),
        ];
        entries.extend(self.steps.map(|steps| number("steps", steps)));
        entries.push((Identifier::new(context, "windows"), windows));
        if self.steps.is_some_and(|steps| steps <= COMPUTED_STEPS_MAX) {
            let mut add = |name, of: fn(&Needs) -> &[Range<i64>]| {
                let ends = |needs: &Needs| {
                    let ends = of(needs).iter().flat_map(|range| [range.start, range.end]);
                    DenseI64ArrayAttribute::new(context, &ends.collect::<Vec<_>>()).into()
                };
                let windows = self.needs.iter().map(ends).collect::<Vec<_>>();
                let windows = ArrayAttribute::new(context, &windows).into();
                entries.push((Identifier::new(context, name), windows));
            };
            add("computed", |needs| &needs.computed);
            add("early", |needs| &needs.early);
        }
        DictionaryAttribute::new(context, &entries).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn devices_at_the_ends_own_more() {
        let margins = Margins { halo: 2, other_end: 0 };
        assert_eq!(even_cuts(0..20, 2, margins), Some(vec![10]));
        assert_eq!(even_cuts(0..28, 3, margins), Some(vec![10, 18]));
        let (extent, found) = windows(0..28, &[10, 18], margins).unwrap();
        assert_eq!((extent, found[0].shift, found[1].shift, found[2].shift), (12, 0, 8, 16));
        assert_eq!(even_cuts(0..6, 3, margins), Some(vec![3, 4]));
        assert_eq!(even_cuts(0..3, 3, margins), None);
        let alone = Margins { halo: 0, other_end: 0 };
        assert_eq!(even_cuts(0..9, 4, alone), Some(vec![3, 5, 7]));
        assert_eq!(even_cuts(0..5, 4, alone), Some(vec![2, 3, 4]));
    }

    #[test]
    fn both_ends_are_in_the_first_and_last_window() {
        let margins = Margins { halo: 2, other_end: 3 };
        let (extent, found) = windows(0..30, &[10, 20], margins).unwrap();
        assert_eq!(extent, 15);
        assert_eq!(found[0].seam, Some((12, 15)));
        assert_eq!(found[2].seam, Some((3, 15)));
        assert_eq!(found[0].of_whole(28..30), Planes::of(13..15));
        assert_eq!(found[2].of_whole(0..3), Planes::of(0..3));
        // The wrap: the window's other end is the domain's.
        assert_eq!(found[0].agreeing(15, 30), Planes::of(-3..12));
    }

    proptest! {
        #[test]
        fn windows_hold_what_their_devices_own(
            extent in 1_i64..80, lower in -5_i64..5, halo in 0_i64..6, other_end in 0_i64..6,
            devices in 1_i64..6,
        ) {
            let (whole, margins) = (lower..lower + extent, Margins { halo, other_end });
            let enough = devices + 2 * (devices - 1) * (halo + other_end);
            let Some(cuts) = even_cuts(whole.clone(), devices, margins) else {
                prop_assert!(extent < enough);
                return Ok(());
            };
            let Some((window, all)) = windows(whole.clone(), &cuts, margins) else {
                return Ok(());
            };
            prop_assert_eq!(all.len() as i64, devices);
            for (device, one) in all.iter().enumerate() {
                let inside = Planes::of(lower..lower + window);
                let owned = one.of_whole(one.owned.clone()).and(&inside);
                prop_assert_eq!(owned.count(), one.owned.end - one.owned.start);
                let wanted = (one.owned.start - halo).max(whole.start)
                    ..(one.owned.end + halo).min(whole.end);
                let is_end = device == 0 || device as i64 == devices - 1;
                if other_end == 0 || !is_end {
                    let held = one.of_whole(wanted.clone()).and(&inside).count();
                    prop_assert_eq!(held, wanted.end - wanted.start);
                }
                for plane in lower..lower + window {
                    prop_assert!(whole.contains(&one.whole_of(plane)));
                    for offset in [-2, 0, 3] {
                        let agreeing = one.agreeing(offset, offset);
                        let agrees = Planes::of(plane..plane + 1).and(&agreeing);
                        let wanted = one.whole_of(plane + offset) == one.whole_of(plane) + offset;
                        prop_assert_eq!(!agrees.is_none(), wanted);
                    }
                }
            }
        }
    }
}
