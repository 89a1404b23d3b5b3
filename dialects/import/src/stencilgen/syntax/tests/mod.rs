//! The language, the messages for errors, and properties of any text.

mod constructs;
mod errors;
mod pragmas;
mod properties;

use super::{Syntax, parse};
use crate::stencilgen::ast::{File, Program, Stencil};

/// A program with everything that the language has.
const SEED: &str = "\
#pragma begin seed
parameter L = 512, M, N;
iterator k, j, i;
double a[L,M,N], b[L][M][N], c[N], h;
bool flag; int n; float w;
allocin b;
copyin a, c, h;
constant c;
coefficient w;
#pragma stream k block (32,16) unroll j=2 shared 48K occupancy 0.5
#assign shmem (A), gmem (C)
stencil smooth (inout : B, A, C) {
  double t = 2.0f * C[i];
  no-shmem C;
  B[k,j,i] = A[k-1][j][i+1] - 4 * A[k,j,i] / (h + 1e-3) ^ 2;
  [1:L-2, 1..M-2, (3)] : B[k,j,i] += -t % 3 | 1 < 2 & true == (a != b);
}
function last (A) { A[0] = sqrt (A[0], 1.5e3f); }
iterate t = 1:10 { smooth (b, a, c); [0:3][0:3][0:3] : smooth (a, b, c); }
last (c);
copyout a;
#pragma end seed
";

/// The abstract syntax of a text without errors and warnings.
fn sound(text: &str) -> File {
    let Syntax { file, diagnostics } = parse(text, false);
    assert_eq!(diagnostics, [], "{text}");
    file
}

fn program(text: &str) -> Program {
    let mut file = sound(text);
    assert_eq!(file.programs.len(), 1, "{text}");
    file.programs.remove(0)
}

/// The only stencil of a program with such members.
fn stencil(members: &str) -> Stencil {
    program(&format!("stencil f (a) {{ {members} }}")).stencils.remove(0)
}
