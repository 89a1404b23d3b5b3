//! What the keys of a plan that take a word choose from.

use crate::sweep::planes::PlaneStorage;

/// An enumeration whose values have words, the first of which is the default.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$value_doc])* $value,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$value),*];

            /// The word of every value.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The word for it in a plan.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }

            /// The value of a word.
            pub fn of_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }
        }

        impl $crate::plan::schema::Field for $name {
            fn value(&self) -> Option<$crate::plan::PlanValue> {
                Some($crate::plan::PlanValue::Text(self.word().to_owned()))
            }

            fn of(value: &$crate::plan::PlanValue) -> Self {
                let $crate::plan::PlanValue::Text(word) = value else {
                    unreachable!("admitted as a word")
                };
                Self::of_word(word).expect("admitted as a known word")
            }
        }
    };
}

pub(crate) use words;

words! {
    /// When a point of a sweep is computed.
    Form {
        /// At once, when the last plane that it reads has arrived.
        Gather = "gather",
        /// Plane by plane, as they arrive; what is computed so far is carried.
        Scatter = "scatter",
    }
}

words! {
    /// When a level of a sweep works on what the level below computed.
    Skew {
        /// In the same iteration.
        Tight = "tight",
        /// In the next iteration, so that the levels of one iteration do not wait for each other.
        Lazy = "lazy",
    }
}

impl Skew {
    /// Iterations by which a level trails what it works on, beside those that it waits for planes
    /// ahead. The first level trails the plane that arrives as any other trails the one below: that
    /// plane, too, is handed to neighbours through shared memory, and one barrier an iteration
    /// serves all levels only if none reads in the iteration that writes.
    pub const fn lag(self) -> u32 {
        match self {
            Skew::Tight => 0,
            Skew::Lazy => 1,
        }
    }
}

words! {
    /// How values of a queue come to their next place.
    Rotation {
        /// They move, at the end of each iteration.
        Move = "move",
        /// Places take turns: the loop is unrolled until all have their first roles again.
        Unroll = "unroll",
    }
}

words! {
    /// How planes come from global memory.
    LoadMode {
        /// When they are needed.
        Direct = "direct",
        /// One iteration ahead, to registers.
        Prefetch = "prefetch",
        /// Several iterations ahead, to shared memory, by asynchronous copies.
        Ring = "ring",
        /// The same with the cells around a tile that levels read: neighbours are read there, and
        /// tiles do not overlap for them.
        Halo = "halo",
    }
}

words! {
    /// How levels read fields that none of them changes.
    ReadMode {
        /// Each level from memory.
        Memory = "memory",
        /// Each plane once, from a queue in registers.
        Queue = "queue",
    }
}

words! {
    /// How a loop makes the iterations that are too few for two sweeps.
    Remainder {
        /// By sweeps of half as many steps, rounded up, of half of those, and so on to two.
        Halved = "halved",
        /// One by one.
        Single = "single",
    }
}

words! {
    /// How the last iterations of a loop leave every field as the program would.
    Tail {
        /// They are not fused.
        Unfused = "unfused",
        /// The last sweep writes all levels that are seen, and reads from memory of its own.
        Scratch = "scratch",
    }
}

words! {
    /// Where a sweep keeps the planes of its levels, and through what neighbours read them.
    Storage {
        /// In the slots of a queue, in registers or in shared memory; lanes exchange values by
        /// shuffles, warps the rows that others read.
        Queue = "queue",
        /// All planes in shared memory.
        Shared = "shared",
        /// Those before and behind in registers, the middle one in shared memory.
        DiagonalFree = "diagonal-free",
        /// Sums in registers, the plane that arrives in shared memory.
        Retimed = "retimed",
    }
}

impl Storage {
    /// The storage of whole planes; none for the queue, whose slots are chosen one by one.
    pub const fn planes(self) -> Option<PlaneStorage> {
        match self {
            Self::Queue => None,
            Self::Shared => Some(PlaneStorage::Shared),
            Self::DiagonalFree => Some(PlaneStorage::DiagonalFree),
            Self::Retimed => Some(PlaneStorage::Retimed),
        }
    }

    /// The form of a sweep whose plan says none.
    pub const fn form(self) -> Form {
        match self {
            Self::Retimed => Form::Scatter,
            _ => Form::Gather,
        }
    }

    /// Whether sweeps of a form can keep their planes so.
    pub fn takes(self, form: Form) -> bool {
        self == Self::Queue || self.form() == form
    }
}

words! {
    /// The order of the operations of a kernel.
    Schedule {
        /// As they were made: point by point.
        Source = "source",
        /// That in which the fewest registers are live at once.
        Trees = "trees",
        /// As they were made, with later expressions moved forward to where that frees registers.
        Interleave = "interleave",
        /// Both, one after the other.
        Both = "both",
        /// That of expression trees alone, without a search beside them.
        Reorder = "reorder",
        /// The same, with later expressions moved forward afterwards.
        ReorderInterleave = "reorder-interleave",
    }
}

impl Schedule {
    /// Whether operations are put in an order that is found on expression trees.
    pub fn orders_trees(self) -> bool {
        matches!(self, Self::Trees | Self::Both) || self.is_trees_alone()
    }

    /// Whether no search stands beside the trees.
    pub fn is_trees_alone(self) -> bool {
        matches!(self, Self::Reorder | Self::ReorderInterleave)
    }

    /// Whether slices of later expressions are moved forward.
    pub fn interleaves(self) -> bool {
        matches!(self, Self::Interleave | Self::Both | Self::ReorderInterleave)
    }
}

words! {
    /// Which values of a thread are spilled to shared memory first.
    SpillHeuristic {
        /// At each operation those with the furthest next use.
        FurthestUse = "furthest-use",
        /// Registers with the fewest accesses in the text.
        Accesses = "accesses",
        /// Registers with the fewest accesses, in loops ten times as many.
        WeightedAccesses = "weighted-accesses",
        /// Registers that the fewest operations use together with others.
        OperandConflicts = "operand-conflicts",
    }
}

words! {
    /// The layout of the spill slots of a block's threads in shared memory.
    SlotLayout {
        /// Slots of 64 or 32 bits, interleaved over the threads of a block.
        Interleaved64 = "interleaved-64",
        /// Slots of 32 bits, interleaved over the threads of a block: an f64 takes two.
        Interleaved32 = "interleaved-32",
        /// All slots of a thread, then those of the next: threads of a warp access the same banks.
        ThreadMajor = "thread-major",
    }
}

words! {
    /// Loads of values that are still in a register, and stores that no load reads.
    RedundantAccesses {
        /// They are left out.
        Removed = "removed",
        /// They are kept.
        Kept = "kept",
    }
}

words! {
    /// What is loaded from its array again in the place of a spill slot.
    Rematerialized {
        /// Values that were loaded from arrays which the kernel only reads.
        Loads = "loads",
        /// No value.
        None = "none",
    }
}

words! {
    /// The order of operations in which values are spilled.
    SpillSchedule {
        /// Of several orders the one with the least spill traffic.
        LeastTraffic = "least-traffic",
        /// The one that they have.
        Kept = "kept",
    }
}

words! {
    /// Where the assembler keeps what does not fit the registers that a thread may have.
    Spills {
        /// In local memory.
        Local = "local",
        /// In shared memory, as far as it finds room there.
        Shared = "shared",
    }
}
