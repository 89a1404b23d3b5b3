//! Types and operations of scalar code, as tables.
//!
//! Each enum has its spelling in the text and the list of its members, so that generator, printer
//! and histogram agree.

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// IEEE half precision.
    F16,
    /// The upper half of a single-precision number.
    Bf16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// A truth value.
    I1,
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A coordinate or a counter.
    Index,
}

impl Scalar {
    /// The floating-point types.
    pub const FLOATS: [Scalar; 4] = [Scalar::F16, Scalar::Bf16, Scalar::F32, Scalar::F64];

    /// The spelling in the text.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::I1 => "i1",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Index => "index",
        }
    }

    /// Is this a floating-point type?
    pub fn is_float(self) -> bool {
        Self::FLOATS.contains(&self)
    }

    /// Is this `i32` or `i64`?
    pub fn is_integer(self) -> bool {
        matches!(self, Scalar::I32 | Scalar::I64)
    }

    /// Number of bits, where the type fixes it.
    pub fn bits(self) -> Option<u32> {
        match self {
            Scalar::F16 | Scalar::Bf16 => Some(16),
            Scalar::F32 | Scalar::I32 => Some(32),
            Scalar::F64 | Scalar::I64 => Some(64),
            Scalar::I1 => Some(1),
            Scalar::Index => None,
        }
    }
}

/// The type of an SSA value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// A number.
    Scalar(Scalar),
    /// A number that is stored, or nothing.
    Result(Scalar),
    /// Memory on a grid: element type and rank.
    Field(Scalar, usize),
    /// A value on a grid: element type and rank.
    Temp(Scalar, usize),
}

impl Type {
    /// The element type: of a number, the type itself.
    pub fn element(self) -> Scalar {
        match self {
            Type::Scalar(s) | Type::Result(s) | Type::Field(s, _) | Type::Temp(s, _) => s,
        }
    }

    /// The rank of a field or temp, zero for a number.
    pub fn rank(self) -> usize {
        match self {
            Type::Field(_, rank) | Type::Temp(_, rank) => rank,
            Type::Scalar(_) | Type::Result(_) => 0,
        }
    }

    /// The same type over another element type.
    pub fn with_element(self, element: Scalar) -> Type {
        match self {
            Type::Scalar(_) => Type::Scalar(element),
            Type::Result(_) => Type::Result(element),
            Type::Field(_, rank) => Type::Field(element, rank),
            Type::Temp(_, rank) => Type::Temp(element, rank),
        }
    }
}

/// Declares an enum of operations with its spellings and the list of all members.
macro_rules! operations {
    ($(#[$doc:meta])* $name:ident { $($member:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each member is the operation that its spelling names")]
        pub enum $name { $($member),+ }

        impl $name {
            /// Every member.
            pub const ALL: &'static [$name] = &[$($name::$member),+];

            /// The spelling in the text.
            pub fn name(self) -> &'static str {
                match self { $($name::$member => $text),+ }
            }
        }
    };
}

operations! {
    /// Floating-point operations of one operand.
    Unary {
        Negate = "arith.negf",
        Absolute = "math.absf",
        SquareRoot = "math.sqrt",
        Floor = "math.floor",
        Ceil = "math.ceil",
        Truncate = "math.trunc",
        RoundEven = "math.roundeven",
    }
}

operations! {
    /// Floating-point operations of two operands.
    Binary {
        Add = "arith.addf",
        Subtract = "arith.subf",
        Multiply = "arith.mulf",
        Divide = "arith.divf",
        MaxNum = "arith.maxnumf",
        MinNum = "arith.minnumf",
        Maximum = "arith.maximumf",
        Minimum = "arith.minimumf",
        CopySign = "math.copysign",
    }
}

operations! {
    /// Integer operations that are defined for all operands.
    Integer {
        Add = "arith.addi",
        Subtract = "arith.subi",
        Multiply = "arith.muli",
        And = "arith.andi",
        Or = "arith.ori",
        Xor = "arith.xori",
        MaxSigned = "arith.maxsi",
        MinSigned = "arith.minsi",
        MaxUnsigned = "arith.maxui",
        MinUnsigned = "arith.minui",
    }
}

operations! {
    /// Integer operations whose second operand must be a suitable constant.
    ByConstant {
        ShiftLeft = "arith.shli",
        ShiftRightSigned = "arith.shrsi",
        ShiftRightUnsigned = "arith.shrui",
        DivideSigned = "arith.divsi",
        RemainderSigned = "arith.remsi",
        DivideUnsigned = "arith.divui",
        RemainderUnsigned = "arith.remui",
    }
}

impl ByConstant {
    /// Is the operation a shift, whose constant counts bits?
    pub fn is_shift(self) -> bool {
        matches!(
            self,
            ByConstant::ShiftLeft | ByConstant::ShiftRightSigned | ByConstant::ShiftRightUnsigned
        )
    }
}

operations! {
    /// Comparisons of floating-point numbers.
    FloatPredicate {
        Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", Uno = "uno",
    }
}

operations! {
    /// Comparisons of integers.
    IntegerPredicate {
        Eq = "eq", Ne = "ne", Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge",
        Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
    }
}

/// The single operation that converts one type to another, if there is one.
pub fn conversion(from: Scalar, to: Scalar) -> Option<&'static str> {
    let wider = |a: Scalar, b: Scalar| a.bits() > b.bits();
    match (from, to) {
        _ if from == to => None,
        _ if from.is_float() && to.is_float() && wider(to, from) => Some("arith.extf"),
        _ if from.is_float() && to.is_float() && wider(from, to) => Some("arith.truncf"),
        (Scalar::I32 | Scalar::I64, _) if to.is_float() => Some("arith.sitofp"),
        (Scalar::I1, Scalar::I32 | Scalar::I64) => Some("arith.extui"),
        (Scalar::I32, Scalar::I64) => Some("arith.extsi"),
        (Scalar::I64, Scalar::I32) => Some("arith.trunci"),
        (Scalar::Index, Scalar::I32 | Scalar::I64) => Some("arith.index_cast"),
        (Scalar::I32 | Scalar::I64, Scalar::Index) => Some("arith.index_cast"),
        _ => None,
    }
}

/// `fastmath` flags.
///
/// `nnan`, `ninf` and `afn` are left out: the first two make NaN and infinity undefined, the third
/// permits approximations that differ between implementations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FastMath(u8);

impl FastMath {
    /// The flags in the order in which they are printed.
    pub const FLAGS: [&'static str; 4] = ["reassoc", "nsz", "arcp", "contract"];

    /// No flag.
    pub const NONE: FastMath = FastMath(0);

    /// The flags of a bit set over [`FastMath::FLAGS`].
    pub fn from_bits(bits: u8) -> Self {
        FastMath(bits & 0b1111)
    }

    /// Whether any flag is set.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// The names of the flags that are set.
    pub fn names(self) -> Vec<&'static str> {
        let set = |(bit, _): &(usize, &'static str)| self.0 >> bit & 1 == 1;
        Self::FLAGS.into_iter().enumerate().filter(set).map(|(_, name)| name).collect()
    }
}
