//! The pipeline of a sweep over several statements: when each level is computed, which planes of
//! its inputs are kept, and what threads exchange.
//!
//! A *stream* is a value on the grid at one time level: a field that is fetched, or a result of a
//! *level*, which is one statement in one time step. A plane of a stream arrives in each iteration
//! of the loop over planes; a level computes the plane whose neighbourhood has just become
//! complete. So a stream lies a constant number of planes *behind* the one that arrives first, and
//! a plane has an *age*, the number of iterations since it arrived. All of it follows from the
//! offsets of reads, by longest paths; this is software pipelining of the loop over planes [Lam,
//! Software Pipelining, PLDI 1988] with one plane of each level an iteration.

mod exchange;
#[cfg(test)]
mod tests;

pub use self::exchange::{Copied, Exchange, Halo, Held, Rows};

use self::exchange::{crosses, halo_of, rows, uncovered};
use super::{Reach, halo::HaloLayout, least_common_multiple, tiling::Tiling};
use crate::plan::Rotation;

/// An offset in planes, rows and columns.
pub type Offset = [i64; 3];

/// A read of a stream by a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The number of the stream.
    pub stream: usize,
    /// Where, from the point that is computed.
    pub offset: Offset,
}

/// Where a stream comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It is fetched from memory.
    Field,
    /// A level computes it.
    Level(usize),
}

/// Levels and streams, each after what it depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The source of each stream.
    pub streams: Vec<Source>,
    /// What each level reads.
    pub levels: Vec<Vec<Read>>,
    /// Streams that are stored.
    pub outputs: Vec<usize>,
}

/// A step of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The planes of fields that were copied for this iteration are there for all threads, and
    /// copies of later ones start.
    Arrive,
    /// The newest plane of a stream becomes visible to other threads.
    Put(usize),
    /// All threads of the block wait for each other.
    Fence,
    /// A level is computed.
    Level(usize),
}

impl Event {
    /// Whether all threads of the block wait for each other.
    pub fn is_fence(self) -> bool {
        matches!(self, Self::Fence | Self::Arrive)
    }
}

/// What becomes of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Planes between the one that arrives first and its newest.
    pub behind: i64,
    /// The oldest age at which a level reads it.
    pub oldest: i64,
    /// What threads exchange of it; none if nothing.
    pub rows: Option<Rows>,
    /// Its planes in shared memory, if it is copied there.
    pub halo: Option<Halo>,
    /// Points around a stored one, along planes, rows and columns, that it must be known at.
    pub needed: [Reach; 3],
}

impl Stream {
    /// Planes that iterations pass on, in registers: the older ones, unless they are read in shared
    /// memory.
    pub fn carried(&self) -> i64 {
        match self.halo {
            Some(halo) if !halo.columns => 0,
            _ => self.oldest.max(0),
        }
    }

    /// Of planes, rows and columns, whether levels read it beyond a tile in shared memory.
    pub fn covered(&self) -> [bool; 3] {
        self.halo.map_or([false; 3], Halo::covers)
    }
}

/// The pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Planes between the one that arrives first and the one that a level computes.
    pub behind: Vec<i64>,
    /// The streams.
    pub streams: Vec<Stream>,
    /// One iteration.
    pub events: Vec<Event>,
}

impl Pipeline {
    /// The pipeline of a graph. A level is computed as early, and a field fetched as late, as
    /// possible.
    pub fn of(graph: &Graph, exchange: Exchange) -> Self {
        let (behind, arrivals) = times(graph, exchange);
        let needed = needed(graph);
        let mut streams = Vec::new();
        for (number, &behind_stream) in arrivals.iter().enumerate() {
            let ages = |read: &Read, level: usize| behind[level] - read.offset[0] - behind_stream;
            let oldest = reads_of(graph, number).map(|(level, read)| ages(read, level)).max();
            let rows = rows(graph, exchange, number, ages);
            let copied = exchange.copied(graph, number);
            let halo = copied.map(|copied| halo_of(graph, number, ages, copied));
            let (oldest, needed) = (oldest.unwrap_or(0), needed[number]);
            streams.push(Stream { behind: behind_stream, oldest, rows, halo, needed });
        }
        let mut pipeline = Self { behind, streams, events: Vec::new() };
        pipeline.place_events(graph, exchange);
        match exchange.is_once {
            true => pipeline.share_buffers(graph),
            false => pipeline.count_copies(graph),
        }
        pipeline
    }

    /// Planes before the first that is stored that arrive.
    pub fn warm_up(&self) -> i64 {
        let early = |stream: &Stream| i64::from(stream.needed[0].behind) - stream.behind;
        self.streams.iter().map(early).max().unwrap_or(0).max(0)
    }

    /// Planes after the last that is stored that arrive.
    pub fn delay(&self, graph: &Graph) -> i64 {
        graph.outputs.iter().map(|output| self.streams[*output].behind).max().unwrap_or(0)
    }

    /// The planes between the one that arrives first and the last of which levels read cells
    /// outside of the domain that are not copied with it.
    pub fn oldest_boundary(&self, graph: &Graph) -> i64 {
        let streams = self.streams.iter().enumerate().filter(|(_, it)| it.halo.is_none());
        let read = streams.filter(|(number, _)| reads_of(graph, *number).next().is_some());
        read.map(|(_, stream)| stream.behind).max().unwrap_or(0)
    }

    /// Points that a tile loses on each side of rows and columns.
    pub fn lost(&self) -> [Reach; 2] {
        // Around what is copied lies what levels read of it there.
        let all = self.streams.iter().map(|stream| uncovered(stream.needed, stream.covered()));
        let [_, rows, columns] = all.fold([Reach::symmetric(0); 3], most);
        [rows, columns]
    }

    /// Planes that arrive before the first and after the last that is stored, and points that a
    /// tile loses on each side of rows and columns.
    pub fn margins(&self, graph: &Graph) -> [Reach; 3] {
        let number = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
        let planes = Reach { behind: number(self.warm_up()), ahead: number(self.delay(graph)) };
        let [rows, columns] = self.lost();
        [planes, rows, columns]
    }

    /// Whether fields are copied to shared memory, with cells around a tile.
    pub fn copies_halos(&self) -> bool {
        self.streams.iter().any(|stream| stream.halo.is_some())
    }

    /// Whether the columns around a tile are copied too.
    pub fn copies_columns(&self) -> bool {
        self.streams.iter().any(|stream| stream.halo.is_some_and(|halo| halo.columns))
    }

    /// Elements of shared memory that copied fields take, of values of so many bytes.
    pub fn elements_of_halos(&self, tiling: &Tiling, bytes: i64) -> i64 {
        let halos = self.streams.iter().filter_map(|stream| stream.halo);
        let each =
            halos.map(|halo| halo.copies * HaloLayout::of(tiling, halo.around, bytes).elements());
        each.sum()
    }

    /// How far levels read along planes, rows and columns, where no cells around a tile are copied.
    pub fn reaches(graph: &Graph, exchange: Exchange) -> [Reach; 3] {
        let each = graph.levels.iter().flatten().map(|read| {
            let copied = exchange.copied(graph, read.stream);
            let covered = copied.map_or([false; 3], |copied| [true, true, copied.columns]);
            uncovered(read.offset.map(|along| reached(Reach::symmetric(0), along)), covered)
        });
        each.fold([Reach::symmetric(0); 3], most)
    }

    /// Rows that threads exchange, once for each buffer.
    pub fn buffers(&self) -> impl Iterator<Item = &Rows> {
        let all = self.streams.iter().filter_map(|stream| stream.rows.as_ref());
        let mut known = Vec::new();
        all.filter(move |rows| {
            let is_new = !known.contains(&rows.buffer);
            known.push(rows.buffer);
            is_new
        })
    }

    /// Planes of all streams that iterations pass on, in registers.
    pub fn kept(&self) -> i64 {
        self.streams.iter().map(Stream::carried).sum()
    }

    /// Iterations after which copies of rows, and with `rotation = "unroll"` the kept planes of
    /// each stream, are in their first places again.
    pub fn turns(&self, rotation: Rotation) -> i64 {
        let copies = self.streams.iter().filter_map(|stream| Some(stream.rows.as_ref()?.copies));
        let kept = self.streams.iter().map(|stream| stream.carried() + 1);
        let periods: Vec<i64> = match rotation {
            Rotation::Move => copies.collect(),
            Rotation::Unroll => copies.chain(kept).collect(),
        };
        periods.into_iter().fold(1, least_common_multiple)
    }

    /// Puts the steps of an iteration in order: what was fetched first, then level by level, with a
    /// barrier where rows are read that were written since the last one.
    fn place_events(&mut self, graph: &Graph, exchange: Exchange) {
        let mut unseen = Vec::new();
        let put = |stream: usize, events: &mut Vec<Event>, unseen: &mut Vec<usize>| {
            if self.streams[stream].rows.is_some() {
                events.push(Event::Put(stream));
                unseen.push(stream);
            }
        };
        let is_copied = self.copies_halos();
        let mut events = if is_copied { vec![Event::Arrive] } else { Vec::new() };
        for (stream, source) in graph.streams.iter().enumerate() {
            if *source == Source::Field {
                put(stream, &mut events, &mut unseen);
            }
        }
        for (level, reads) in graph.levels.iter().enumerate() {
            let is_new = |read: &Read| {
                let age = self.behind[level] - read.offset[0] - self.streams[read.stream].behind;
                age == 0 && crosses(graph, exchange, read) && unseen.contains(&read.stream)
            };
            if reads.iter().any(is_new) {
                events.push(Event::Fence);
                unseen.clear();
            }
            events.push(Event::Level(level));
            for (stream, source) in graph.streams.iter().enumerate() {
                if *source == Source::Level(level) {
                    put(stream, &mut events, &mut unseen);
                }
            }
        }
        let is_read_later =
            |stream: &usize| self.streams[*stream].rows.as_ref().is_some_and(|it| it.oldest > 0);
        // The next iteration begins with a barrier where fields are copied.
        if !is_copied && unseen.iter().any(is_read_later) {
            events.push(Event::Fence);
        }
        self.events = events;
    }

    /// A copy may be overwritten once a barrier has passed since its last read. All streams have as
    /// many copies as the one that needs most: then the loop is unrolled so often, and no more.
    fn count_copies(&mut self, graph: &Graph) {
        let mut most = 1;
        for (number, stream) in self.streams.iter().enumerate() {
            let Some(rows) = &stream.rows else { continue };
            let (put, last) = self.life(graph, number);
            let mut between = self.events[last..].iter().chain(&self.events[..put]);
            let is_fenced = between.any(|event| event.is_fence());
            most = most.max(rows.oldest + 1 + i64::from(!is_fenced));
        }
        for stream in &mut self.streams {
            if let Some(rows) = &mut stream.rows {
                rows.copies = most;
            }
        }
    }
}

impl Pipeline {
    /// The positions, among the steps of an iteration, at which a stream is put and last read.
    fn life(&self, graph: &Graph, stream: usize) -> (usize, usize) {
        let reads = |event: &Event| match event {
            Event::Level(level) => graph.levels[*level].iter().any(|read| read.stream == stream),
            _ => false,
        };
        let put = self.events.iter().position(|event| *event == Event::Put(stream));
        let put = put.expect("what is exchanged is put");
        (put, self.events.iter().rposition(reads).unwrap_or(put))
    }

    /// Gives each stream of a single iteration the first buffer that a barrier frees in time.
    fn share_buffers(&mut self, graph: &Graph) {
        let mut last_reads: Vec<usize> = Vec::new();
        let puts = self.events.iter().filter_map(|event| match event {
            Event::Put(stream) => Some(*stream),
            _ => None,
        });
        for stream in puts.collect::<Vec<_>>() {
            let (put, last) = self.life(graph, stream);
            let is_free = |read: &usize| {
                self.events.get(*read..put).is_some_and(|it| it.iter().any(|it| it.is_fence()))
            };
            let buffer = last_reads.iter().position(is_free).unwrap_or(last_reads.len());
            last_reads.resize(last_reads.len().max(buffer + 1), 0);
            last_reads[buffer] = last;
            let rows = self.streams[stream].rows.as_mut();
            rows.expect("what is put is exchanged").buffer = buffer;
        }
    }
}

/// Planes behind the first arriving one, of levels and of streams.
fn times(graph: &Graph, exchange: Exchange) -> (Vec<i64>, Vec<i64>) {
    let waits = |read: &Read| i64::from(exchange.is_lazy && crosses(graph, exchange, read));
    let mut behind: Vec<i64> = Vec::new();
    let arrived = |stream: usize, behind: &[i64]| match graph.streams[stream] {
        Source::Field => 0,
        Source::Level(level) => behind[level],
    };
    for reads in &graph.levels {
        let ready = |read: &Read| arrived(read.stream, &behind) + read.offset[0] + waits(read);
        behind.push(reads.iter().map(ready).max().unwrap_or(0).max(0));
    }
    let arrivals = (0..graph.streams.len()).map(|stream| match graph.streams[stream] {
        Source::Level(level) => behind[level],
        Source::Field => {
            let due = |(level, read): (usize, &Read)| behind[level] - read.offset[0] - waits(read);
            reads_of(graph, stream).map(due).min().unwrap_or(0)
        }
    });
    let arrivals = arrivals.collect();
    (behind, arrivals)
}

/// The reads of a stream, with the levels that make them.
fn reads_of(graph: &Graph, stream: usize) -> impl Iterator<Item = (usize, &Read)> {
    let levels = graph.levels.iter().enumerate();
    levels.flat_map(move |(level, reads)| {
        reads.iter().filter(move |read| read.stream == stream).map(move |read| (level, read))
    })
}

/// The points around a stored one that each stream must be known at.
fn needed(graph: &Graph) -> Vec<[Reach; 3]> {
    let mut needed = vec![[Reach::symmetric(0); 3]; graph.streams.len()];
    for (level, reads) in graph.levels.iter().enumerate().rev() {
        let results = (0..graph.streams.len())
            .filter(|stream| graph.streams[*stream] == Source::Level(level))
            .map(|stream| needed[stream]);
        let own = results.fold([Reach::symmetric(0); 3], most);
        for read in reads {
            let reached = [0, 1, 2].map(|d| reached(own[d], read.offset[d]));
            needed[read.stream] = most(needed[read.stream], reached);
        }
    }
    needed
}

/// A reach, seen from an offset.
fn reached(own: Reach, offset: i64) -> Reach {
    let side = |own: u32, offset: i64| u32::try_from(i64::from(own) + offset).unwrap_or(0);
    Reach { behind: side(own.behind, -offset), ahead: side(own.ahead, offset) }
}

fn most(one: [Reach; 3], two: [Reach; 3]) -> [Reach; 3] {
    [0, 1, 2].map(|d| one[d].union(two[d]))
}
