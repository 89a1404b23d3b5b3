//! The report of a race: both accesses, the common byte, and what would order them.

use crate::error::{Access, Place};
use std::fmt;

/// Two unordered accesses to the same byte, at least one of them a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The first common byte.
    pub place: Place,
    /// The access of the faulting thread.
    pub access: RacingAccess,
    /// The earlier access in this run.
    pub other: RacingAccess,
    /// The block of the other thread.
    pub other_block: [u32; 3],
    /// The other thread.
    pub other_thread: [u32; 3],
    /// What would order them.
    pub remedy: Remedy,
}

/// One side of a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacingAccess {
    /// The kind of access.
    pub access: Access,
    /// Its size; `None` where it was known at run time only.
    pub bytes: Option<u64>,
    /// Its source location if the IR has one, and the instruction.
    pub instruction: String,
}

/// What would order two accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// They are of different warps of a block.
    BlockBarrier,
    /// They are of one warp.
    WarpBarrier,
    /// One is an asynchronous copy of the same thread.
    Wait,
    /// One is an asynchronous copy of another thread, which has not waited for it.
    WaitAndBarrier,
    /// They are of different blocks of a launch.
    Launch,
}

impl fmt::Display for RacingAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(bytes) => write!(f, "{} of {bytes} bytes", self.access)?,
            None => write!(f, "{}", self.access)?,
        }
        write!(f, " '{}'", self.instruction)
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::BlockBarrier => {
                "a barrier of the block that both threads reach between them would order them"
            }
            Remedy::WarpBarrier => {
                "a 'bar.warp.sync' of both lanes, or a barrier of the block, between them would \
                 order them; a shuffle does not"
            }
            Remedy::Wait => {
                "the copy is done only when the thread has waited for it: 'cp.async.wait_group' or \
                 'cp.async.wait_all' between them would order them"
            }
            Remedy::WaitAndBarrier => {
                "the copy is done only when its thread has waited for it: 'cp.async.wait_group' or \
                 'cp.async.wait_all' of that thread, and then a barrier that both reach, would \
                 order them"
            }
            Remedy::Launch => {
                "nothing orders the blocks of a launch: two launches would, or bytes of its own \
                 for each block"
            }
        })
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Race { place, access, other, remedy, .. } = self;
        let ([bx, by, bz], [tx, ty, tz]) = (self.other_block, self.other_thread);
        write!(
            f,
            "race at {place}: {access} conflicts with the {other} of block ({bx}, {by}, {bz}), \
             thread ({tx}, {ty}, {tz}); {remedy}"
        )
    }
}
