//! The pipeline of a sweep over several statements, drawn as text: one iteration, and its streams.
//!
//! Every level is at a constant distance behind the plane that arrives, so one iteration says what
//! all of them do. It is drawn for a plane `p`: `u[p-1]` is the plane of the stream `u` before it.
//! First come the streams: which plane of each is the newest, which older ones are kept, and how
//! threads see values of each other. Then come the steps of the iteration, in their order.

use super::aligned;
use crate::{
    plan::{Loads, SweepPlan},
    sweep::{
        Reach,
        pipeline::{Event, Exchange, Graph, Held, Pipeline, Source},
    },
};
use std::{collections::BTreeSet, ops::Range};

#[cfg(test)]
mod tests;

/// A sweep over several statements, and what its parts are called.
#[derive(Debug, Clone)]
pub struct Sweep<'a> {
    /// Levels and streams.
    pub graph: &'a Graph,
    /// The plan, with the steps that this sweep makes.
    pub plan: &'a SweepPlan,
    /// Dimensions of the grid.
    pub rank: usize,
    /// The planes that are stored.
    pub planes: Range<i64>,
    /// A name for each stream.
    pub streams: Vec<String>,
    /// A name for each level.
    pub levels: Vec<String>,
}

/// Draws a sweep: a head, a line for each stream, and a line for each step of an iteration.
pub fn drawing(sweep: &Sweep) -> String {
    let exchange = Exchange::of(sweep.plan, sweep.rank);
    let pipeline = Pipeline::of(sweep.graph, exchange);
    let drawn = Drawn { sweep, exchange, pipeline };
    let mut lines = drawn.head();
    lines.push(String::new());
    lines.extend(aligned(&drawn.streams()));
    lines.push(String::new());
    lines.extend(aligned(&drawn.iteration()));
    lines.join("\n") + "\n"
}

/// A sweep with its pipeline.
struct Drawn<'a> {
    sweep: &'a Sweep<'a>,
    exchange: Exchange,
    pipeline: Pipeline,
}

impl Drawn<'_> {
    fn head(&self) -> Vec<String> {
        let Sweep { graph, plan, planes, .. } = self.sweep;
        let steps = i64::from(plan.steps.max(1));
        let levels = graph.levels.len();
        let [along, rows, columns] = self.pipeline.margins(graph);
        let mut lines = vec![format!(
            "{} of {} over the planes {} to {}, {} skew",
            counted(steps, "step"),
            counted(levels as i64 / steps, "statement"),
            planes.start,
            planes.end - 1,
            plan.skew().word(),
        )];
        let count = (planes.end - planes.start).max(0) + i64::from(along.span());
        lines.push(format!(
            "{}: {} before the first plane that is stored arrives, {} after the last",
            counted(count, "iteration"),
            along.behind,
            along.ahead,
        ));
        let mut sides = Vec::new();
        if self.sweep.rank > 2 {
            sides.push(side("rows", rows));
        }
        sides.push(side("columns", columns));
        lines.push(format!(
            "margins of a tile, on either side of what it stores: {}",
            sides.join(", ")
        ));
        let fences = self.pipeline.events.iter().filter(|event| event.is_fence()).count();
        let turns = self.pipeline.turns(plan.rotation);
        lines.push(format!(
            "kept in registers: {}; {} in an iteration; roles come again every {turns}",
            counted(self.pipeline.kept(), "plane"),
            counted(fences as i64, "fence"),
        ));
        lines
    }

    fn streams(&self) -> Vec<Vec<String>> {
        let titles = ["stream", "newest", "kept", "exchanged", "memory"];
        let mut table = vec![titles.map(str::to_owned).to_vec()];
        for (number, stream) in self.pipeline.streams.iter().enumerate() {
            let kept = (1..=stream.oldest.max(0)).map(|age| plane(stream.behind + age));
            let is_fetched = self.sweep.graph.streams[number] == Source::Field;
            let memory = [(is_fetched, "fetched"), (self.is_stored(number), "stored")];
            let memory = memory.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word);
            table.push(vec![
                self.sweep.streams[number].clone(),
                plane(stream.behind),
                kept.collect::<Vec<_>>().join(" "),
                self.exchanged(number),
                memory.collect::<Vec<_>>().join(", "),
            ]);
        }
        table
    }

    fn is_stored(&self, stream: usize) -> bool {
        self.sweep.graph.outputs.contains(&stream)
    }

    /// How threads see values of each other: columns by shuffles, and in shared memory rows that no
    /// thread of the warp has, or all.
    fn exchanged(&self, number: usize) -> String {
        let reads = self.sweep.graph.levels.iter().flatten().filter(|read| read.stream == number);
        let shuffles = |[_, row, column]: [i64; 3]| {
            let by_shuffle = |held: Held| !held.columns && row.abs() < held.rows;
            column != 0 && self.exchange.shared.is_none_or(by_shuffle)
        };
        if let Some(halo) = self.pipeline.streams[number].halo {
            let [rows, columns] = halo.around;
            let sides = [side("rows", rows), side("columns", columns)].join(", ");
            return format!("{} in shared memory, around: {sides}", counted(halo.copies, "plane"));
        }
        let mut ways = Vec::new();
        if reads.into_iter().any(|read| shuffles(read.offset)) {
            ways.push("shuffles".to_owned());
        }
        if let Some(rows) = &self.pipeline.streams[number].rows {
            let numbers = rows.stored.iter().map(ToString::to_string).collect::<Vec<_>>();
            let of = self.exchange.shared.map_or(1, |held| held.rows);
            let s = if rows.stored.len() == 1 { "" } else { "s" };
            let copies = match rows.copies {
                1 => "1 copy".to_owned(),
                copies => format!("{copies} copies"),
            };
            ways.push(format!("row{s} {} of {of} in {copies}", numbers.join(" ")));
        }
        ways.join(", ")
    }

    fn iteration(&self) -> Vec<Vec<String>> {
        let mut table = vec![vec!["when p arrives".to_owned()]];
        let fields = self.sweep.graph.streams.iter().enumerate();
        let fields = fields.filter(|(_, source)| **source == Source::Field);
        let fetched = fields.map(|(number, _)| self.newest(number)).collect::<Vec<_>>();
        let when = match self.sweep.plan.loads {
            Loads::Direct => Vec::new(),
            Loads::Prefetch => vec!["in an iteration before".to_owned()],
            Loads::Ring { planes } | Loads::Halo { planes } => {
                vec![format!("copied {} before", counted(i64::from(planes) - 1, "iteration"))]
            }
        };
        table.push([vec!["fetch".to_owned(), fetched.join(" ")], when].concat());
        let mut put = Vec::new();
        for event in &self.pipeline.events {
            if let Event::Put(stream) = event {
                put.push(self.newest(*stream));
                continue;
            }
            if !put.is_empty() {
                table.push(vec!["put rows".to_owned(), std::mem::take(&mut put).join(" ")]);
            }
            table.push(match event {
                Event::Level(level) => self.level(*level),
                _ => vec!["fence".to_owned()],
            });
        }
        if !put.is_empty() {
            table.push(vec!["put rows".to_owned(), put.join(" ")]);
        }
        table
    }

    /// `v[p-1] -> memory  from u[p-2 p-1 p]` is a plane that is stored, of three planes of another
    /// stream.
    fn level(&self, level: usize) -> Vec<String> {
        let graph = self.sweep.graph;
        let results =
            (0..graph.streams.len()).filter(|it| graph.streams[*it] == Source::Level(level));
        let results = results.map(|stream| match self.is_stored(stream) {
            true => self.newest(stream) + " -> memory",
            false => self.newest(stream),
        });
        let behind = self.pipeline.behind[level];
        let reads = &graph.levels[level];
        let streams = reads.iter().map(|read| read.stream).collect::<BTreeSet<_>>();
        let read = streams.into_iter().map(|stream| {
            let of = reads.iter().filter(|read| read.stream == stream);
            let distances = of.map(|read| read.offset[0] - behind).collect::<BTreeSet<_>>();
            let planes = distances.into_iter().map(|distance| plane(-distance));
            format!("{}[{}]", self.sweep.streams[stream], planes.collect::<Vec<_>>().join(" "))
        });
        let read = read.collect::<Vec<_>>().join(" ");
        let results = results.collect::<Vec<_>>().join(", ");
        vec![self.sweep.levels[level].clone(), results, format!("from {read}")]
    }

    fn newest(&self, stream: usize) -> String {
        let behind = self.pipeline.streams[stream].behind;
        format!("{}[{}]", self.sweep.streams[stream], plane(behind))
    }
}

/// A plane so many behind the one that arrives.
fn plane(behind: i64) -> String {
    match behind {
        0 => "p".to_owned(),
        behind => format!("p{:+}", -behind),
    }
}

fn counted(number: i64, name: &str) -> String {
    match number {
        1 => format!("1 {name}"),
        number => format!("{number} {name}s"),
    }
}

fn side(name: &str, lost: Reach) -> String {
    format!("{} and {} {name}", lost.behind, lost.ahead)
}
