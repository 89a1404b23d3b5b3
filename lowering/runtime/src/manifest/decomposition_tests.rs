//! Windows, what devices give each other, and descriptions that are refused.

use super::*;
use crate::{manifest::Manifest, samples, scalar::ScalarOp};

fn refusal(change: impl FnOnce(&mut Decomposition)) -> String {
    let mut manifest = samples::shared_manifest();
    assert_eq!(manifest.validate(), Ok(()));
    change(manifest.functions[0].decomposition.as_mut().unwrap());
    manifest.validate().unwrap_err().to_string()
}

#[test]
fn windows_survive_json() {
    let mut manifest = samples::shared_manifest();
    let seam = Some(Seam { plane: 3, shift: 6 });
    assert_eq!(Manifest::from_json(manifest.to_json().as_bytes()).unwrap(), manifest);
    manifest.functions[0].decomposition.as_mut().unwrap().windows[1].seam = seam;
    let text = manifest.to_json();
    assert!(text.contains("\"seam\""), "{text}");
}

#[test]
fn numbers_of_windows_survive_json() {
    let manifest = samples::manifest_with_window_numbers();
    let text = manifest.to_json();
    assert!(text.contains("\"number\": \"shift_from_seam\""), "{text}");
    assert_eq!(Manifest::from_json(text.as_bytes()).unwrap(), manifest);
    assert_eq!(WindowNumber::from_name("seam"), Some(WindowNumber::Seam));
    assert_eq!(WindowNumber::from_name("shear"), None);
}

#[test]
fn nothing_but_a_launch_takes_a_number_of_a_window() {
    let refusal = |change: fn(&mut Function)| {
        let mut manifest = samples::manifest_with_window_numbers();
        change(&mut manifest.functions[0]);
        manifest.validate().unwrap_err().to_string()
    };
    fn numbers(function: &mut Function) -> &mut Vec<WindowValue> {
        &mut function.decomposition.as_mut().unwrap().window_numbers
    }
    let argument = refusal(|function| numbers(function)[0].value = Id(2));
    assert!(argument.contains("value %2 is no constant of type index"), "{argument}");
    let bound = refusal(|function| numbers(function)[0].value = Id(4));
    assert!(bound.contains("value %4 differs by window, and not only launches take it"), "{bound}");
    let operand = refusal(|function| {
        let sum = Statement::Scalar {
            result: Id(30),
            op: ScalarOp::AddI,
            operands: vec![Id(20), Id(21)],
            ty: ScalarType::Index,
        };
        let place = function.body.len() - 1;
        function.body.insert(place, sum);
    });
    assert!(operand.contains("value %20 differs by window"), "{operand}");
}

#[test]
fn callers_see_the_whole_domain() {
    let whole = samples::shared_function().whole();
    let shapes = whole.arguments.iter().filter_map(|argument| argument.kind.as_field());
    assert!(shapes.clone().all(|shape| shape.to_string() == "[-1,17]xf32"));
    assert_eq!(shapes.count(), 2);
    assert_eq!(samples::function().whole(), samples::function());
}

#[test]
fn planes_have_one_owner_and_go_to_who_lacks_them() {
    let function = samples::shared_function();
    assert_eq!(function.held(1, 0), [Run { local: 0, whole: 6, planes: 12 }]);
    assert_eq!(function.owned(0, 1), [Run { local: 0, whole: 0, planes: 9 }]);
    assert_eq!(function.owned(1, 1), [Run { local: 3, whole: 9, planes: 9 }]);
    let exchange = |argument, from, to, from_plane, to_plane| Exchange {
        argument,
        from,
        to,
        from_plane,
        to_plane,
        planes: 3,
    };
    // Two planes of the halo, and the margin that the program has around its domain.
    let wanted = [0, 1].map(|n| [exchange(n, 1, 0, 3, 9), exchange(n, 0, 1, 6, 0)]).concat();
    assert_eq!(function.exchanges(), wanted);
}

#[test]
fn a_window_with_a_seam_holds_both_ends() {
    let mut function = samples::shared_function();
    let shared = function.decomposition.as_mut().unwrap();
    // Planes 0 to 6 and the last four of 16 in ten.
    shared.windows[0].seam = Some(Seam { plane: 6, shift: 6 });
    assert_eq!(
        function.held(0, 0),
        [Run { local: 0, whole: 0, planes: 7 }, Run { local: 7, whole: 13, planes: 5 }]
    );
    assert_eq!(function.owned(0, 0), [Run { local: 0, whole: 0, planes: 7 }]);
}

#[test]
fn damaged_windows_are_refused() {
    let owner = refusal(|shared| shared.windows[1].owned = [9, 16]);
    assert!(
        owner.contains("device 1 owns planes 9 to 16, the planes from 8 on are next"),
        "{owner}"
    );
    let end = refusal(|shared| shared.upper = 17);
    assert!(end.contains("planes 16 to 17 have no owner"), "{end}");
    let none = refusal(|shared| shared.windows.clear());
    assert!(none.contains("planes 0 to 16 have no owner"), "{none}");
    let shifted = refusal(|shared| shared.windows[1].shift = 5);
    assert!(shifted.contains("device 1 holds 10 planes of argument 0, of the 11"), "{shifted}");
    let halo = refusal(|shared| shared.halo = 4);
    assert!(halo.contains("device 0 holds 12 planes of argument 0, of the 13"), "{halo}");
    let huge = refusal(|shared| shared.halo = u64::MAX);
    assert!(huge.contains("the halo is too large"), "{huge}");
}

#[test]
fn damaged_fields_and_steps_are_refused() {
    let count = refusal(|shared| shared.fields.truncate(3));
    assert!(count.contains("it is not said of each argument"), "{count}");
    let uncut = refusal(|shared| shared.fields[1] = None);
    assert!(uncut.contains("argument 1 is written, and not cut"), "{uncut}");
    let scalar = refusal(|shared| shared.fields[2] = shared.fields[0].clone());
    assert!(scalar.contains("argument 2 is no field"), "{scalar}");
    let cut = |dimension, upper| Some(Cut { dimension, lower: -1, upper, received: None });
    let rank = refusal(|shared| shared.fields[0] = cut(1, 17));
    assert!(rank.contains("argument 0 is cut along a dimension that it lacks"), "{rank}");
    let empty = refusal(|shared| shared.fields[0] = cut(0, -1));
    assert!(empty.contains("argument 0 is cut along a dimension that it lacks"), "{empty}");
    let large = refusal(|shared| shared.fields[0] = cut(0, i64::MAX));
    assert!(large.contains("argument 0 is too large"), "{large}");
    let odd = refusal(|shared| shared.steps = NonZeroU64::new(3));
    assert!(odd.contains("after every 3 time steps"), "{odd}");
    assert!(odd.contains("a multiple of 2 only"), "{odd}");
    let endless = refusal(|shared| shared.steps = None);
    assert!(endless.contains("there is a loop, and no number of time steps"), "{endless}");
}

#[test]
fn other_extents_are_not_shared() {
    let mut manifest = samples::shared_manifest();
    manifest.functions[0].body.pop();
    manifest.functions[0].decomposition.as_mut().unwrap().steps = None;
    assert_eq!(manifest.validate(), Ok(()));
    let text = manifest.functions[0].decomposition.as_ref().unwrap().to_string();
    assert_eq!(text, "devices: 2, which own 8, 8 planes, with halos of 2");
}

/// What devices give each other where each of them gets these planes of the first field.
fn exchanges(received: [&[[i64; 2]]; 2]) -> Vec<[u64; 3]> {
    let mut function = samples::shared_function();
    let fields = &mut function.decomposition.as_mut().unwrap().fields;
    fields[0].as_mut().unwrap().received = Some(received.map(<[_]>::to_vec).to_vec());
    fields[1].as_mut().unwrap().received = Some(vec![Vec::new(); 2]);
    let all = function.exchanges().into_iter();
    all.map(|one| [one.from_plane, one.to_plane, one.planes]).collect()
}

#[test]
fn devices_get_what_they_are_said_to() {
    // Of the first window plane 8 stands for plane 2 of the second, of that plane 1 for plane 7.
    assert_eq!(exchanges([&[[8, 10]], &[[-1, 2]]]), [[3, 9, 2], [6, 0, 3]]);
    assert_eq!(exchanges([&[], &[[0, 1]]]), [[7, 1, 1]]);
    assert_eq!(exchanges([&[[8, 9], [10, 11]], &[]]), [[3, 9, 1], [5, 11, 1]]);
    // What a device owns it does not get.
    assert_eq!(exchanges([&[[0, 9]], &[[2, 11]]]), [[3, 9, 1]]);
}

#[test]
fn damaged_planes_and_last_iterations_are_refused() {
    let received = |field: usize, planes: Vec<Vec<[i64; 2]>>| {
        refusal(|shared| {
            let mut cut = shared.fields[0].clone().unwrap();
            cut.received = Some(planes);
            shared.fields[field] = Some(cut);
        })
    };
    let few = received(0, vec![vec![[8, 10]]]);
    assert!(few.contains("argument 0 is not said to be received by each device"), "{few}");
    for planes in [[8, 8], [9, 8], [8, 12], [-2, 0]] {
        let wrong = received(0, vec![vec![planes], Vec::new()]);
        assert!(wrong.contains("argument 0 is received in planes"), "{wrong}");
    }
    let crossed = received(0, vec![vec![[9, 10], [8, 9]], Vec::new()]);
    assert!(crossed.contains("argument 0 is received in planes"), "{crossed}");
    let last = refusal(|shared| shared.last_iterations = vec![Id(4)]);
    assert!(last.contains("value %4 is no number of iterations at the end"), "{last}");
}

#[test]
fn rows_that_are_cut_have_no_padding() {
    let mut manifest = samples::shared_manifest();
    for argument in &mut manifest.functions[0].arguments {
        if let ArgumentKind::Field(shape) = &mut argument.kind {
            shape.padding = Some([1, 1]);
        }
    }
    let said = Manifest::from_json(manifest.to_json().as_bytes()).unwrap_err().to_string();
    assert!(said.contains("argument 0 is cut along its rows, which are padded"), "{said}");
}

/// A package of the format before says neither what devices need nor what only callers read.
#[test]
fn without_planes_all_are_given() {
    let manifest = samples::shared_manifest();
    let text = manifest.to_json();
    assert!(!text.contains("received") && !text.contains("last_iterations"), "{text}");
    let format = crate::manifest::FORMAT_WHOLE_HALOS;
    let older = Manifest { format, ..manifest };
    assert_eq!(Manifest::from_json(older.to_json().as_bytes()), Ok(older));
}

#[test]
fn planes_that_nothing_can_compute_are_refused() {
    let none = refusal(|shared| shared.windows[1].computed = vec![[0, 9], [4, 4]]);
    assert!(none.contains("device 1 computes planes 4 to 4"), "{none}");
    let planes = |first: u32, parameters: &[Parameter]| {
        let mut manifest = samples::manifest();
        manifest.functions.clear();
        let kernel = &mut manifest.kernels[0];
        kernel.parameters = parameters.to_vec();
        let written = vec![0];
        kernel.planes = Some(PlaneParameters { iterations: NonZeroU64::MIN, first, written });
        manifest.validate().map_err(|error| error.to_string())
    };
    let index = Parameter::Scalar(ScalarType::Index);
    assert_eq!(planes(1, &[Parameter::Pointer, index, index, index, index]), Ok(()));
    for (first, parameters) in
        [(2, [index; 5]), (u32::MAX, [index; 5]), (0, [Parameter::Pointer; 5])]
    {
        let why = planes(first, &parameters).unwrap_err();
        assert!(why.contains("has no four numbers for the planes that it computes"), "{why}");
    }
}
