//! Extents that are given at run time: what follows them, and what is refused.

use super::*;
use crate::{
    manifest::{ManifestError, Parameter},
    samples,
    scalar::ScalarOp,
};

/// `double(u, v)` on 10 x 8 points: rows of `u` have a cell more on both sides, `v` has as many
/// points as `u` along dimension 1 only, a buffer has the points of the domain. One kernel with
/// blocks of 4 x 32 points.
pub(in crate::manifest) fn general() -> Manifest {
    let field = |lower: &[i64], upper: &[i64]| {
        let (lower, upper) = (lower.to_vec(), upper.to_vec());
        let (element, scratch, written) = (ScalarType::F32, false, true);
        ArgumentKind::Field(FieldShape { lower, upper, element, scratch, written, padding: None })
    };
    let argument = |name: &str, kind| Argument { name: Some(name.to_owned()), kind };
    let constant = |id, value| {
        let value = ScalarValue::from_integer(ScalarType::Index, value);
        Statement::Constant { result: Id(id), value }
    };
    let scalar = |id, op, one, two| {
        let operands = vec![Id(one), Id(two)];
        Statement::Scalar { result: Id(id), op, operands, ty: ScalarType::Index }
    };
    // Extents are values 2 and 3.
    let body = vec![
        scalar(4, ScalarOp::MulI, 2, 3),
        Statement::Allocate { result: Id(5), element: ScalarType::F32, elements: 80 },
        constant(6, 31),
        constant(7, 32),
        scalar(8, ScalarOp::AddI, 3, 6),
        scalar(9, ScalarOp::DivUI, 8, 7),
        constant(10, 3),
        constant(11, 4),
        scalar(12, ScalarOp::AddI, 2, 10),
        scalar(13, ScalarOp::DivUI, 12, 11),
        constant(14, 1),
        Statement::Launch {
            kernel: "step".to_owned(),
            arguments: vec![Id(0), Id(5), Id(2), Id(3)],
        },
    ];
    let extents = Extents {
        lower: vec![0, 0],
        reference: vec![10, 8],
        least: vec![1, 3],
        multiples: Vec::new(),
        points: None,
        sizes: None,
        fields: vec![vec![Some(0), Some(1)], vec![Some(1)]],
        allocations: vec![(Id(5), Id(4))],
        kernels: vec![KernelExtents {
            kernel: "step".to_owned(),
            grid: [Id(9), Id(13), Id(14)],
            points: vec![(10, Some(0)), (8, Some(1))],
        }],
    };
    let function = Function {
        name: "double".to_owned(),
        variant_of: None,
        arguments: vec![argument("u", field(&[0, -1], &[10, 9])), argument("v", field(&[0], &[8]))],
        body,
        time_steps: None,
        step_limits: Vec::new(),
        decomposition: None,
        extents: Some(extents),
    };
    let sample = samples::manifest();
    let index = Parameter::Scalar(ScalarType::Index);
    let kernel = Kernel {
        grid: [1, 3, 1],
        points: 80,
        parameters: vec![Parameter::Pointer, Parameter::Pointer, index, index],
        ..sample.kernels[0].clone()
    };
    Manifest { functions: vec![function], kernels: vec![kernel], ..sample }
}

fn at(extents: &[u64]) -> Result<Manifest, ExtentsError> {
    let manifest = general();
    manifest.at(&manifest.functions[0], extents)
}

#[test]
fn numbers_follow_the_extents() {
    general().validate().unwrap();
    let fixed = at(&[21, 33]).unwrap();
    fixed.validate().unwrap();
    let function = &fixed.functions[0];
    assert_eq!(function.extents, None);
    let shapes = function.arguments.iter().map(|it| it.kind.as_field().unwrap().extents());
    assert_eq!(shapes.collect::<Vec<_>>(), [vec![21, 35], vec![33]]);
    let cells = function.body.iter().find_map(|statement| match statement {
        Statement::Allocate { elements, .. } => Some(*elements),
        _ => None,
    });
    assert_eq!(cells, Some(21 * 33));
    assert_eq!((fixed.kernels[0].grid, fixed.kernels[0].points), ([2, 6, 1], 21 * 33));
    // The extents are constants, and the rest of the body is as it was.
    let body = &general().functions[0].body;
    assert_eq!(function.body[2..3], body[..1]);
    assert!(matches!(&function.body[1], Statement::Constant { result: Id(3), value }
        if value.bits() == 33));
}

#[test]
fn rows_of_open_extents_have_no_padding() {
    let mut manifest = general();
    let ArgumentKind::Field(shape) = &mut manifest.functions[0].arguments[0].kind else {
        panic!("the first argument is a field");
    };
    shape.padding = Some([1, 1]);
    let said = manifest.validate().unwrap_err().to_string();
    assert!(
        said.contains("argument 0 has padding, and its extents are given at run time"),
        "{said}"
    );
}

/// The same with two variants for domains of 100 points, of which the first wants rows of even
/// length.
fn with_variants() -> Manifest {
    let mut manifest = general();
    let variant = |name: &str, multiples: Vec<u64>| {
        let base = &general().functions[0];
        let own = base.extents.clone().unwrap();
        let extents = Extents { least: vec![4, 4], points: Some(100), multiples, ..own };
        let variant_of = Some(base.name.clone());
        Function { name: name.to_owned(), variant_of, extents: Some(extents), ..base.clone() }
    };
    manifest.functions.push(variant("double_aligned", vec![1, 2]));
    manifest.functions.push(variant("double_swept", Vec::new()));
    manifest
}

#[test]
fn the_first_variant_that_is_for_the_extents_is_preferred() {
    let manifest = with_variants();
    manifest.validate().unwrap();
    let preferred = |extents: &[u64]| &manifest.preferred(&manifest.functions[0], extents).name;
    assert_eq!(preferred(&[25, 4]), "double_aligned");
    assert_eq!(preferred(&[25, 5]), "double_swept");
    // The last that has enough points and rows, and the first that does not.
    assert_eq!(preferred(&[24, 4]), "double");
    assert_eq!(preferred(&[100, 3]), "double");
    // Variants have none.
    assert_eq!(manifest.preferred(&manifest.functions[1], &[25, 5]).name, "double_aligned");
}

#[test]
fn rows_that_are_not_aligned_are_refused() {
    let manifest = with_variants();
    let aligned = &manifest.functions[1];
    assert!(manifest.at(aligned, &[5, 10]).is_ok());
    let error = manifest.at(aligned, &[5, 9]).unwrap_err().to_string();
    let expected = "extent 9 of dimension 1 does not differ from 8 by a multiple of 2, as function \
                    'double_aligned' needs for aligned rows";
    assert!(error.starts_with(expected), "{error}");
    let mut wrong = manifest.clone();
    wrong.functions[1].extents.as_mut().unwrap().multiples = vec![0, 2];
    let error = wrong.validate().unwrap_err().to_string();
    assert!(error.contains("they do not give a multiple for each dimension"), "{error}");
}

#[test]
fn the_reference_is_what_is_written() {
    let fixed = at(&[10, 8]).unwrap();
    let manifest = general();
    assert_eq!(fixed.functions[0].arguments, manifest.functions[0].arguments);
    assert!(fixed.functions[0].body.ends_with(&manifest.functions[0].body));
    assert_eq!(fixed.kernels, manifest.kernels);
}

#[test]
fn extents_that_do_not_go_are_refused() {
    let said = |extents: &[u64]| at(extents).unwrap_err().to_string();
    assert_eq!(said(&[4]), "function 'double' has a domain of 2 dimensions, 1 extents are given");
    let small = "extent 2 of dimension 1 is too small: function 'double' needs at least 3 for its \
                 margins";
    assert_eq!(said(&[4, 2]), small);
    assert!(at(&[1, 3]).is_ok());
    let cells = said(&[1 << 20, 1 << 12]);
    assert!(cells.starts_with("argument 0 'u' would have 4297064448 cells; "), "{cells}");
    let blocks = said(&[4 * 65_536, 3]);
    let wanted = "kernel 'step' would have 65536 blocks along y, a launch has at most 65535";
    assert!(blocks.starts_with(wanted), "{blocks}");
    let fixed = at(&[4, 4]).unwrap();
    let said = fixed.at(&fixed.functions[0], &[4, 4]).unwrap_err().to_string();
    assert!(said.contains("compile it with --sizes=run-time"), "{said}");
}

#[test]
fn fields_say_the_extents() {
    let function = &general().functions[0];
    let of = |shapes: &[(usize, &[u64])]| {
        let shapes = shapes.iter().map(|(position, shape)| (*position, shape.to_vec()));
        function.extents_of(&shapes.collect::<Vec<_>>())
    };
    assert_eq!(of(&[]), Ok(vec![10, 8]));
    assert_eq!(of(&[(0, &[5, 9])]), Ok(vec![5, 7]));
    assert_eq!(of(&[(0, &[5, 9]), (1, &[7])]), Ok(vec![5, 7]));
    let said = of(&[(0, &[5, 9]), (1, &[9])]).unwrap_err().to_string();
    let wanted = "argument 0 'u' gives dimension 1 of the domain 7 points, argument 1 'v' gives it \
                  9";
    assert_eq!(said, wanted);
    assert_eq!(of(&[(1, &[9])]), Err(ExtentsError::Open("dimension 0 of the domain".to_owned())));
    let said = of(&[(0, &[5, 2])]).unwrap_err().to_string();
    assert_eq!(said, "argument 0 'u' has 2 cells along dimension 1, its margins need more");
}

#[test]
fn inconsistent_extents_are_refused() {
    let said = |change: fn(&mut Manifest)| {
        let mut manifest = general();
        change(&mut manifest);
        match manifest.validate() {
            Err(ManifestError::Function { problem, .. }) => problem.to_string(),
            other => panic!("{other:?}"),
        }
    };
    fn extents(manifest: &mut Manifest) -> Extents {
        manifest.functions[0].extents.take().unwrap()
    }
    assert!(said(|it| it.kernels[0].grid = [2, 3, 1]).ends_with("have the reference's grid"));
    let buffer = |it: &mut Manifest| {
        it.functions[0].body[1] =
            Statement::Allocate { result: Id(5), element: ScalarType::F32, elements: 81 };
    };
    assert!(said(buffer).ends_with("a buffer does not have the reference's cells"));
    let fields = |it: &mut Manifest| {
        let own = extents(it);
        it.functions[0].extents = Some(Extents { fields: vec![vec![Some(2); 2], vec![]], ..own });
    };
    assert!(said(fields).contains("each dimension of the fields"));
    let kernels = |it: &mut Manifest| {
        let own = extents(it);
        it.functions[0].extents = Some(Extents { kernels: Vec::new(), ..own });
    };
    assert!(said(kernels).contains("the grid of kernel 'step'"));
    let rank = |it: &mut Manifest| {
        let own = extents(it);
        it.functions[0].extents = Some(Extents { least: vec![1], ..own });
    };
    assert!(said(rank).contains("no rank, or several"));
}
