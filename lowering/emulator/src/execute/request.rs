//! Requests of suspended threads, and their answers.

/// A barrier of the block, as one thread arrived at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BarrierRequest {
    /// Number of the barrier resource.
    pub(crate) id: u32,
    /// Threads that the barrier waits for; `None` means all of the block.
    pub(crate) count: Option<u32>,
    /// The instruction, where all threads of a warp must be at the same one.
    pub(crate) aligned_site: Option<u32>,
}

/// How a shuffle finds the lane to read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote computes from the lanes' predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// How a reduction over a warp combines 32-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReduceMode {
    Add,
    UnsignedMin,
    UnsignedMax,
    SignedMin,
    SignedMax,
    And,
    Or,
    Xor,
}

/// An operation of all lanes in a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpOperation {
    Synchronize,
    Shuffle(ShuffleMode),
    Vote(VoteMode),
    Reduce(ReduceMode),
}

/// Numbers of the operations, as compiled code passes them.
pub(crate) const WARP_OPERATIONS: [(&str, WarpOperation); 17] = [
    ("bar.warp.sync", WarpOperation::Synchronize),
    ("shfl.sync.up", WarpOperation::Shuffle(ShuffleMode::Up)),
    ("shfl.sync.down", WarpOperation::Shuffle(ShuffleMode::Down)),
    ("shfl.sync.bfly", WarpOperation::Shuffle(ShuffleMode::Butterfly)),
    ("shfl.sync.idx", WarpOperation::Shuffle(ShuffleMode::Index)),
    ("vote.all.sync", WarpOperation::Vote(VoteMode::All)),
    ("vote.any.sync", WarpOperation::Vote(VoteMode::Any)),
    ("vote.uni.sync", WarpOperation::Vote(VoteMode::Uniform)),
    ("vote.ballot.sync", WarpOperation::Vote(VoteMode::Ballot)),
    ("redux.sync.add", WarpOperation::Reduce(ReduceMode::Add)),
    ("redux.sync.umin", WarpOperation::Reduce(ReduceMode::UnsignedMin)),
    ("redux.sync.umax", WarpOperation::Reduce(ReduceMode::UnsignedMax)),
    ("redux.sync.min", WarpOperation::Reduce(ReduceMode::SignedMin)),
    ("redux.sync.max", WarpOperation::Reduce(ReduceMode::SignedMax)),
    ("redux.sync.and", WarpOperation::Reduce(ReduceMode::And)),
    ("redux.sync.or", WarpOperation::Reduce(ReduceMode::Or)),
    ("redux.sync.xor", WarpOperation::Reduce(ReduceMode::Xor)),
];

impl WarpOperation {
    /// The operation's name as in PTX.
    pub(crate) fn name(self) -> &'static str {
        WARP_OPERATIONS
            .iter()
            .find(|(_, operation)| *operation == self)
            .map(|(name, _)| *name)
            .expect("the table lists every operation")
    }
}

/// A warp operation, as one lane arrived at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WarpRequest {
    pub(crate) operation: WarpOperation,
    /// The lanes that take part, a bit each.
    pub(crate) mask: u32,
    /// The lane's value, or its predicate.
    pub(crate) value: u32,
    /// A shuffle's distance or source lane.
    pub(crate) distance: u32,
    /// A shuffle's segment mask and clamp, packed as in PTX.
    pub(crate) clamp: u32,
}

/// The state of a thread between two resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// It can run.
    None,
    Barrier(BarrierRequest),
    Warp(WarpRequest),
    /// The warp operation is done: the lane's result, and a shuffle's "source in range".
    Answer {
        value: u32,
        in_range: bool,
    },
    /// It returned.
    Exited,
}
