//! What a wrong weight and a loose bound look like.

use super::*;
use crate::{input::Input, target::Target};
use code::Op;
use points::Pair;
use stencil_code::ItemId;

/// Points of a test.
const DRAW: Draw = Draw { points: 20_000, seed: 1 };

/// The graphs of the only apply of one of the whole programs.
fn graphs_of(kernel: &str, pipeline: Option<&str>) -> Graphs {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/../../test/kernels/{kernel}.mlir");
    let input = Input::read(path.as_ref()).unwrap();
    let context = session::new_context();
    let session = Session::new(&context, &input, Target::new("sm_90", None).unwrap());
    let mut module = session.parse().unwrap();
    if let Some(pipeline) = pipeline {
        module = session.transform(&module, pipeline).unwrap();
    }
    let (written, frozen) =
        (session.as_written(&module).unwrap(), session.freeze(&module).unwrap());
    let [(_, text), (_, form)] = [&written, &frozen].map(|of| session::functions(of).remove(0));
    graphs(applies_in(text)[0], applies_in(form)[0], &Symbols::new()).unwrap()
}

fn share(graphs: &Graphs) -> f64 {
    let Graphs { written, frozen, inputs } = graphs;
    Pair { written, frozen, inputs }.compare(DRAW)[0].share
}

/// Changes the last weight of the frozen form by so many units in the last place.
fn plant(graphs: &mut Graphs, units: f64) {
    let dag = &mut graphs.frozen.dag;
    let is_constant = |item: &ItemId| matches!(dag[*item].kind.op, Op::Constant(_));
    let last = dag.ids().rfind(is_constant).unwrap();
    let Op::Constant(weight) = &mut dag.kind_mut(last).op else { unreachable!() };
    *weight *= 1.0 + units * f64::EPSILON;
}

#[test]
fn a_wrong_weight_is_seen() {
    for kernel in ["j2d5pt", "j2d9pt", "2d25pt"] {
        let mut graphs = graphs_of(kernel, None);
        let right = share(&graphs);
        assert!((0.01..1.0).contains(&right), "{kernel}: {right}");
        plant(&mut graphs, 64.0);
        let wrong = share(&graphs);
        assert!(wrong > 1.0 || wrong > 2.5 * right, "{kernel}: {right}, then {wrong}");
        plant(&mut graphs, 4096.0);
        assert!(share(&graphs) > 1.0, "{kernel}");
    }
}

#[test]
fn a_loose_bound_is_seen() {
    for kernel in ["j2d5pt", "2d25pt"] {
        let right = share(&graphs_of(kernel, None));
        assert!(right >= 0.01 && right / 100.0 < 0.01, "{kernel}: {right}");
    }
}

#[test]
fn without_permission_nothing_moves() {
    let strict = "builtin.module(func.func(stencil-set-fastmath{flags=none}))";
    let graphs = graphs_of("2d25pt", Some(strict));
    assert_eq!(Reassociation::of(&graphs.written, &graphs.inputs).most_units(), 0.0);
    assert_eq!(share(&graphs), 0.0);
}
