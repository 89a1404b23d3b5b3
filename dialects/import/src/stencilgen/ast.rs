//! The abstract syntax of a STENCILGEN program, with spans, before name resolution.
//!
//! Both spellings of the language (that of the tool's grammar and that of the paper's listings)
//! have the same tree. Parentheses and the order of declarations are dropped.

use crate::diagnostic::Span;

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Its location.
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Its programs, in order. A declaration after calls or a copyout starts the next one.
    pub programs: Vec<Program>,
}

/// From the parameters to the copyout: one function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// `parameter L, M = 512;`
    pub parameters: Vec<Parameter>,
    /// `iterator k, j, i;`, outermost first.
    pub iterators: Vec<Name>,
    /// `double a[L,M], b;`, one entry for each name.
    pub declarations: Vec<Declaration>,
    /// `copyin a, b;` and its like, one entry for each name.
    pub listed: Vec<Listed>,
    /// `stencil name (a, b) { ... }`
    pub stencils: Vec<Stencil>,
    /// What is executed, in order.
    pub steps: Vec<Step>,
    /// All of it.
    pub span: Span,
}

/// A size that is bound when the program is imported.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its default value.
    pub default: Option<Integer>,
}

/// Types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`: 32 bits.
    Int,
    /// `float`: 32 bits.
    Float,
    /// `double`: 64 bits.
    Double,
}

/// A scalar or an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its type.
    pub r#type: Type,
    /// Its name.
    pub name: Name,
    /// Its extents, slowest first; empty for a scalar.
    pub extents: Vec<Integer>,
}

/// A name in a copy or qualifier list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Which list.
    pub list: List,
    /// The name.
    pub name: Name,
}

/// The lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// `allocin`: memory on the device.
    AllocIn,
    /// `copyin`, `copy-in`: content comes from the caller.
    CopyIn,
    /// `copyout`, `copy-out`: content goes to the caller.
    CopyOut,
    /// `constant`: never written; for constant memory.
    Constant,
    /// `coefficient`: never written.
    Coefficient,
}

/// A stencil function.
#[derive(Clone, Debug, PartialEq)]
pub struct Stencil {
    /// Its name.
    pub name: Name,
    /// Its formal arguments.
    pub formals: Vec<Formal>,
    /// Its local variables, in order.
    pub locals: Vec<Local>,
    /// `shmem a;` and its like, one entry for each name.
    pub hints: Vec<Hint>,
    /// Clauses of the pragmas before it.
    pub clauses: Vec<Clause>,
    /// Its body, in order.
    pub statements: Vec<Statement>,
    /// All of it.
    pub span: Span,
}

/// A formal argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Formal {
    /// Whether it is marked `inout:`.
    pub name: Name,
    /// Whether it is marked `inout:`.
    pub inout: bool,
}

/// A local variable of a stencil function.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its type, name, extents.
    pub declaration: Declaration,
    /// `= value`, for scalars.
    pub value: Option<Expression>,
}

/// Where an array is to be placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Where.
    pub placement: Placement,
    /// Which array.
    pub name: Name,
}

/// Places for an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// `shmem`: in shared memory.
    Shared,
    /// `no-shmem`: not in shared memory.
    NotShared,
    /// `gmem`: read from global memory.
    Global,
}

/// One clause of a `#pragma`.
#[derive(Clone, Debug, PartialEq)]
pub enum Clause {
    /// `stream k`: the axis that planes are streamed along.
    Stream {
        /// Its iterator.
        axis: Name,
    },
    /// `block (32,16)`, x first, or `block x=32,y=16`: threads of a block.
    Block {
        /// Threads with the axis that they are along (`x`, `y`, `z`, or an iterator), where named.
        threads: Vec<(Option<Name>, Count)>,
        /// All of it.
        span: Span,
    },
    /// `unroll k=1,j=4`: points of a thread.
    Unroll {
        /// Points along an iterator.
        points: Vec<(Name, Count)>,
        /// All of it.
        span: Span,
    },
    /// `shared 48K`: shared memory that a block may use.
    Shared {
        /// In bytes.
        bytes: Count,
    },
    /// `occupancy 0.5`: the part of a multiprocessor's threads that should be busy.
    Occupancy {
        /// Between 0 and 1.
        part: f64,
        /// Its location.
        span: Span,
    },
}

/// A number that counts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// How many.
    pub value: u64,
    /// Its location.
    pub span: Span,
}

/// One statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// `[1:M-2,1:N-2] :`, the points that it is computed at.
    pub region: Option<Region>,
    /// The assigned variable or cell.
    pub target: Target,
    /// The assignment operator.
    pub operator: Assign,
    /// The right-hand side.
    pub value: Expression,
    /// All of it.
    pub span: Span,
}

/// The left-hand side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// A scalar or an array.
    pub name: Name,
    /// The cell; empty for a scalar.
    pub indices: Vec<Integer>,
    /// All of it.
    pub span: Span,
}

/// Assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assign {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `/=`
    Divide,
    /// `&=`
    And,
    /// `|=`
    Or,
}

/// A box of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// One range for each dimension, slowest first.
    pub ranges: Vec<Range>,
    /// All of it.
    pub span: Span,
}

/// Integers from the lower to the upper bound, both included.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The first.
    pub lower: Integer,
    /// The last; without one, the lower bound is the only member.
    pub upper: Option<Integer>,
    /// All of it.
    pub span: Span,
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `[region] : name (a, b);` A call of `swap` is one of these too.
    Call(Call),
    /// `iterate t = 1:10 { ... }`
    Iterate(Iterate),
}

/// A call of a stencil function.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The points that it is computed at.
    pub region: Option<Region>,
    /// The called stencil.
    pub callee: Name,
    /// The arguments.
    pub arguments: Vec<Name>,
    /// All of it.
    pub span: Span,
}

/// A loop over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterate {
    /// The name of the iteration's number, where it has one.
    pub variable: Option<Name>,
    /// Its values, ends included; without an upper bound, the lower is the trip count (from 0 on).
    pub range: Range,
    /// The body.
    pub body: Vec<Step>,
    /// All of it.
    pub span: Span,
}

/// An integer that is known when the program is imported, or that depends on iterators.
#[derive(Clone, Debug, PartialEq)]
pub enum Integer {
    /// `12`
    Literal(i64, Span),
    /// `k`, `L`
    Name(Name),
    /// `-k`
    Negate(Box<Integer>, Span),
    /// `k + 1`
    Binary(IntegerOperator, Box<Integer>, Box<Integer>, Span),
}

/// Operators of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

impl Integer {
    /// Its location.
    pub fn span(&self) -> Span {
        match self {
            Integer::Literal(_, span)
            | Integer::Negate(_, span)
            | Integer::Binary(.., span)
            | Integer::Name(Name { span, .. }) => *span,
        }
    }
}

/// A right-hand side.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its location, parentheses included.
    pub span: Span,
}

impl Expression {
    /// Every name in it that is no function's: scalars, and arrays that are accessed.
    pub fn names(&self) -> Vec<&Name> {
        let mut found = Vec::new();
        let mut stack = vec![self];
        while let Some(one) = stack.pop() {
            match &one.kind {
                ExpressionKind::Name(name) | ExpressionKind::Access { name, .. } => {
                    found.push(name);
                }
                ExpressionKind::Negate(one) => stack.push(one),
                ExpressionKind::Binary(_, one, two) => stack.extend([&**one, &**two]),
                ExpressionKind::Call { arguments, .. } => stack.extend(arguments),
                _ => {}
            }
        }
        found
    }

    /// Every access of an array in it.
    pub fn accesses(&self) -> Vec<(&Name, &[Integer])> {
        let mut found = Vec::new();
        let mut stack = vec![self];
        while let Some(one) = stack.pop() {
            match &one.kind {
                ExpressionKind::Access { name, indices } => found.push((name, indices.as_slice())),
                ExpressionKind::Negate(one) => stack.push(one),
                ExpressionKind::Binary(_, one, two) => stack.extend([&**one, &**two]),
                ExpressionKind::Call { arguments, .. } => stack.extend(arguments),
                _ => {}
            }
        }
        found
    }
}

/// Right-hand sides.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// `true`, `false`
    Bool(bool),
    /// `12`
    Int(i64),
    /// `0.161f`, `2f`: rounded to 32 bits.
    Float(f32),
    /// `0.161`
    Double(f64),
    /// A scalar.
    Name(Name),
    /// `a[k][j][i+1]`
    Access {
        /// The array.
        name: Name,
        /// The cell.
        indices: Vec<Integer>,
    },
    /// `-a`
    Negate(Box<Expression>),
    /// `a * b`
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `sqrt(a)`
    Call {
        /// The function.
        name: Name,
        /// Its arguments.
        arguments: Vec<Expression>,
    },
}

/// Binary operators, by ascending precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `|`
    Or,
    /// `&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `^`, a power: it binds more than unary minus, and to the right.
    Power,
}

/// Chains of operators are as deep as they are long: a derived drop would overflow the stack.
///
/// Other traversals (comparing, copying, printing) must avoid recursion too.
impl Drop for Expression {
    fn drop(&mut self) {
        let mut operands = Vec::new();
        self.kind.take_operands(&mut operands);
        while let Some(mut operand) = operands.pop() {
            operand.kind.take_operands(&mut operands);
        }
    }
}

impl ExpressionKind {
    /// Moves the operands out, leaving a leaf.
    fn take_operands(&mut self, operands: &mut Vec<Expression>) {
        match std::mem::replace(self, ExpressionKind::Bool(false)) {
            ExpressionKind::Negate(one) => operands.push(*one),
            ExpressionKind::Binary(_, one, two) => operands.extend([*one, *two]),
            ExpressionKind::Call { arguments, .. } => operands.extend(arguments),
            ExpressionKind::Bool(_)
            | ExpressionKind::Int(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Double(_)
            | ExpressionKind::Name(_)
            | ExpressionKind::Access { .. } => {}
        }
    }
}
