//! Dependences between stages.

use super::{Apart, Graph, Stage};

/// What two accesses of an array do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Written, then read.
    Flow,
    /// Read, then overwritten.
    Anti,
    /// Written twice.
    Output,
    /// Read twice; it orders nothing.
    Input,
}

/// Two stages that access an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The earlier stage.
    pub source: usize,
    /// The later stage.
    pub sink: usize,
    /// What they access.
    pub array: usize,
    /// How.
    pub kind: Kind,
    /// Planes by which the sink has to follow the source in one kernel; 0 where it orders nothing.
    pub distance: i64,
}

impl Kind {
    /// Whether the source has to come first.
    #[must_use]
    pub fn orders(self) -> bool {
        self != Self::Input
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(match self {
            Self::Flow => "flow",
            Self::Anti => "anti",
            Self::Output => "output",
            Self::Input => "input",
        })
    }
}

/// All dependences of stages in program order.
pub(super) fn find(stages: &[Stage]) -> Vec<Dependence> {
    let mut list = Vec::new();
    for (source, one) in stages.iter().enumerate() {
        for (sink, two) in stages.iter().enumerate().skip(source + 1) {
            let first = list.len();
            let mut add = |array, kind, distance| {
                list.push(Dependence { source, sink, array, kind, distance });
            };
            for write in &one.writes {
                if let Some(read) = two.read(write.array) {
                    let last = read.span().map_or(0, |[_, highest]| highest);
                    add(write.array, Kind::Flow, last - write.lowest);
                }
                if let Some(again) = two.write(write.array) {
                    add(write.array, Kind::Output, again.highest - write.lowest);
                }
            }
            for read in &one.reads {
                if let Some(write) = two.write(read.array) {
                    let last = read.span().map_or(0, |[lowest, _]| lowest);
                    add(read.array, Kind::Anti, write.highest - last);
                }
                if two.read(read.array).is_some() {
                    add(read.array, Kind::Input, 0);
                }
            }
            list[first..].sort_by_key(|found| (found.array, found.kind));
        }
    }
    list
}

/// Pairs with an order that no shift along the stream can hold.
pub(super) fn unshiftable(graph: &Graph) -> Vec<Apart> {
    let mut list = Vec::new();
    for found in graph.dependences.iter().filter(|found| found.kind.orders()) {
        let array = &graph.arrays[found.array];
        let reader = match found.kind {
            Kind::Flow => graph.stages[found.sink].read(found.array),
            Kind::Anti => graph.stages[found.source].read(found.array),
            _ => None,
        };
        let why = if reader.is_some_and(|read| read.planes.is_empty()) {
            format!("cells of {} that one writes are read at computed coordinates", array.name)
        } else if !array.streams {
            format!("{}, which one writes, has no planes along the stream", array.name)
        } else {
            continue;
        };
        list.push(Apart { stages: [found.source, found.sink], why });
    }
    list
}
