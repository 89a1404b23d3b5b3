//! Shared memory of the simulated block: which plane each copy holds, and who may read it.
//!
//! Time is counted in iterations and fences. Threads are not simulated: what one puts, others may
//! read after a fence, and what others may have read, it may overwrite after another one.

use super::tile::Tile;
use crate::tiled::{Buffer, CopyOf, Kind};
use std::rc::Rc;

/// What is wrong, and the remedy.
pub(super) type Wrong = (String, String);

/// All buffers of a block.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    buffers: &'a [Buffer],
    copies: Vec<Vec<Option<Held>>>,
    /// Lines that are put in an iteration.
    lines: i64,
    pub iteration: i64,
    /// Fences so far.
    fences: u64,
    /// Groups of asynchronous copies that were started.
    started: u64,
    /// Those that are known to be complete.
    complete: u64,
    /// Those that other threads are known to have completed.
    visible: u64,
}

/// A copy that was written.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub tile: Rc<Tile>,
    /// Row of the tile, for lines.
    pub row: i64,
    /// The iteration, or line, that it was put in; for a ring, that it will be taken in.
    number: i64,
    /// Fences before that.
    fences: u64,
    /// Fences before it was last read by other threads; of a ring, before it was taken.
    read: Option<u64>,
    /// The group of a ring's copy.
    group: u64,
}

impl<'a> Memory<'a> {
    pub fn new(buffers: &'a [Buffer], lines: i64) -> Self {
        let copies = buffers.iter().map(|buffer| vec![None; buffer.copies]).collect();
        let (iteration, fences) = (0, 0);
        Self { buffers, copies, lines, iteration, fences, started: 0, complete: 0, visible: 0 }
    }

    pub fn kind(&self, buffer: usize) -> &'a Kind {
        &self.buffers[buffer].kind
    }

    pub fn fence(&mut self) {
        self.fences += 1;
        self.visible = self.complete;
    }

    /// Waits until at most so many groups are in flight.
    pub fn wait(&mut self, open: u64) {
        self.complete = self.complete.max(self.started.saturating_sub(open));
    }

    fn place(&self, buffer: usize, number: i64) -> usize {
        number.rem_euclid(self.buffers[buffer].copies as i64) as usize
    }

    /// Writes a tile to the copy of age 0, or its rows to those of its lines.
    pub fn put(&mut self, buffer: usize, tile: &Rc<Tile>) -> Result<(), Wrong> {
        let (first, rows) = match self.kind(buffer) {
            Kind::Lines => (self.iteration * self.lines, self.lines),
            _ => (self.iteration, 1),
        };
        for row in 0..rows {
            let number = first + row;
            let place = self.place(buffer, number);
            if let Some(before) = &self.copies[buffer][place] {
                self.check_overwrite(before, row)?;
            }
            self.copies[buffer][place] = Some(Held {
                tile: Rc::clone(tile),
                row,
                number,
                fences: self.fences,
                read: None,
                group: 0,
            });
        }
        Ok(())
    }

    fn check_overwrite(&self, before: &Held, row: i64) -> Result<(), Wrong> {
        let is_read = before.read == Some(self.fences);
        // Another thread may not have written it yet.
        let is_other = before.row != row && before.fences == self.fences;
        if !is_read && !is_other {
            return Ok(());
        }
        let message = format!(
            "overwrites {}, which other threads may not have {} yet",
            self.describe(before),
            if is_read { "read" } else { "written" }
        );
        Err((message, "put a 'sweep.fence' between, or allocate another copy".to_owned()))
    }

    fn describe(&self, held: &Held) -> String {
        match held.tile.plane {
            Some(plane) => format!("plane {}", plane.saturating_add(held.row)),
            None => "an initial value".to_owned(),
        }
    }

    /// The copy of an age, for a row of lines; none before anything could be put there.
    pub fn copy(&mut self, of: CopyOf, row: i64) -> Result<Option<&mut Held>, Wrong> {
        let kind = self.kind(of.buffer);
        let now = match kind {
            Kind::Lines => self.iteration * self.lines + row,
            _ => self.iteration,
        };
        let number = now - of.age;
        let place = if *kind == Kind::Slot { 0 } else { self.place(of.buffer, number) };
        let age = of.age;
        let wrong = match &self.copies[of.buffer][place] {
            Some(held) if held.number == number => None,
            Some(held) if held.number > number => {
                let holds = self.describe(held);
                let message = format!("reads the copy of age {age}, which {holds} has overwritten");
                Some((message, "read it before that, or allocate another copy"))
            }
            Some(held) => {
                let (holds, put) = (self.describe(held), now - held.number);
                let message =
                    format!("reads the copy of age {age}, but it holds {holds}, of age {put}");
                Some((message, "ages count iterations since 'sweep.put' wrote the copy"))
            }
            None if number < 0 => return Ok(None),
            None => {
                let message = format!("reads the copy of age {age}, which was never written");
                Some((message, "write it with 'sweep.put' in each iteration"))
            }
        };
        match wrong {
            Some((message, remedy)) => Err((message, remedy.to_owned())),
            None => Ok(self.copies[of.buffer][place].as_mut()),
        }
    }

    /// The same, which threads read that did not write it.
    pub fn copy_of_others(&mut self, of: CopyOf, row: i64) -> Result<Option<Held>, Wrong> {
        let fences = self.fences;
        let Some(held) = self.copy(of, row)? else { return Ok(None) };
        held.read = Some(fences);
        let held = held.clone();
        if held.group > self.visible {
            let message = format!(
                "reads {}, which other threads may not have copied yet",
                self.describe(&held)
            );
            let remedy = "put a 'sweep.wait' for its group and a 'sweep.fence' between";
            return Err((message, remedy.to_owned()));
        }
        if held.fences == fences {
            let message =
                format!("reads {}, which other threads may not have put yet", self.describe(&held));
            return Err((message, "put a 'sweep.fence' between".to_owned()));
        }
        Ok(Some(held))
    }

    /// The same for a row of lines, which only its own threads read.
    pub fn own_line(&mut self, of: CopyOf, row: i64) -> Result<Option<Held>, Wrong> {
        let fences = self.fences;
        let Some(held) = self.copy(of, row)? else { return Ok(None) };
        // The copy may be overwritten by those of another row.
        held.read = Some(fences);
        Ok(Some(held.clone()))
    }

    /// Starts a copy to a ring or halo, of a plane that arrives in so many iterations.
    pub fn copy_async(&mut self, ring: usize, ahead: i64, tile: &Rc<Tile>) -> Result<(), Wrong> {
        self.started += 1;
        let number = self.iteration.saturating_add(ahead);
        let place = self.place(ring, number);
        if let Some(before) = &self.copies[ring][place]
            && before.number >= self.iteration
            && before.read.is_none()
        {
            let message = format!("overwrites {}, which was not taken yet", self.describe(before));
            let remedy = "copy each plane once, at most as many ahead as the ring has copies";
            return Err((message, remedy.to_owned()));
        }
        if let (Kind::Halo(_), Some(before)) = (self.kind(ring), &self.copies[ring][place]) {
            self.check_overwrite(before, 0)?;
        }
        let (tile, fences, group) = (Rc::clone(tile), self.fences, self.started);
        self.copies[ring][place] = Some(Held { tile, row: 0, number, fences, read: None, group });
        Ok(())
    }

    /// The tile that arrives from a ring.
    pub fn arrived(&mut self, ring: usize) -> Result<Rc<Tile>, Wrong> {
        let (place, iteration) = (self.place(ring, self.iteration), self.iteration);
        let held = self.copies[ring][place].as_mut();
        let Some(held) = held.filter(|held| held.number == iteration) else {
            let message = "takes a plane that was not copied to the ring";
            let remedy = "copy the first planes before the loop, the others in the loop";
            return Err((message.to_owned(), remedy.to_owned()));
        };
        held.read = Some(self.fences);
        let held = self.copies[ring][place].as_ref().expect("it was found");
        if held.group > self.complete {
            let open = self.started - held.group;
            let message = format!("takes {}, which may be in flight", self.describe(held));
            return Err((
                message,
                format!("wait until {open} groups are open: 'sweep.wait {open}'"),
            ));
        }
        Ok(Rc::clone(&held.tile))
    }
}
