//! The shared memory of whole planes is what the model computes.

use std::sync::Once;
use stencil_dialects::{
    context::{self, Source},
    sweep::KernelOp,
    walk,
};
use stencil_lowering::sweep::planes;
use stencil_model::{
    plan::{Mapping, PlanKeys, Skew, Storage},
    sweep::{
        Reach,
        planes::PlaneStorage,
        tiling::{Aligned, Cut, Tiling},
    },
};

/// A sweep that reads one point at each end of its radius along each dimension, and its plan.
struct Case {
    reaches: Vec<Reach>,
    threads: Vec<u32>,
    points: Vec<u32>,
    steps: u32,
    element: &'static str,
    storage: PlaneStorage,
    skew: Skew,
}

/// Cells along each dimension.
const EXTENT: i64 = 200;

impl Case {
    fn storage(&self) -> Storage {
        let of_planes = |storage: &Storage| storage.planes() == Some(self.storage);
        Storage::ALL.iter().copied().find(of_planes).unwrap()
    }

    fn keys(&self) -> PlanKeys {
        let takes_lines = self.reaches.len() == 2 && self.threads[0] > 1;
        let is_block = self.reaches.len() == 3 || takes_lines;
        PlanKeys {
            mapping: if is_block { Mapping::Block } else { Mapping::Warp },
            skew: self.skew,
            storage: self.storage(),
            form: self.storage().form(),
            threads: self.threads.clone(),
            points: self.points.clone(),
            steps: self.steps,
            ..PlanKeys::default()
        }
    }

    fn text(&self) -> String {
        let rank = self.reaches.len();
        let element = self.element;
        let join = |part: String| vec![part; rank];
        let bounds = join(format!("[0,{EXTENT}]")).join("x");
        let field = format!("!stencil.field<{bounds}x{element}>");
        let corner = |number: i64| join(number.to_string()).join(", ");
        let mut body = format!("%s0 = arith.constant 0.0 : {element}\n");
        let mut sum = 0;
        for (dimension, reach) in self.reaches.iter().enumerate() {
            for distance in [-i64::from(reach.behind), i64::from(reach.ahead)] {
                let mut offset = vec![0; rank];
                offset[dimension] = distance;
                body += &format!("%a{sum} = stencil.access %u{offset:?} : {field}\n");
                body += &format!("%s{} = arith.addf %s{sum}, %a{sum} : {element}\n", sum + 1);
                sum += 1;
            }
        }
        let plan = self.keys().to_string();
        let plan = plan.replace("[", "array<i64: ").replace(']', ">");
        format!(
            "func.func @f(%a: {field}, %b: {field}) {{
               sweep.kernel \"s\" steps {} over <[{}], [{}]> carried(%u = %a : {field})
                   boundaries(%a : {field}) outs(%b : {field}) plan <{{{plan}}}> {{
                 {body}sweep.yield %s{sum} : {element}
               }}
               return
             }}",
            self.steps,
            corner(8),
            corner(EXTENT - 8),
        )
    }

    fn tiling(&self) -> Tiling {
        let rank = self.reaches.len();
        let (lower, upper) = (vec![8; rank], vec![EXTENT - 8; rank]);
        let (lower, upper, reaches) = (&lower, &upper, &self.reaches);
        let plan = self.keys().plan().unwrap().into_sweep().unwrap();
        Tiling::new(&plan, &Cut { lower, upper, reaches, aligned: Aligned::ANYWHERE }).unwrap()
    }

    /// Bytes of a block's planes.
    fn built(&self) -> u64 {
        static ONCE: Once = Once::new();
        ONCE.call_once(stencil_passes::strategy::plan::install_schema);
        let context = context::new_context();
        let text = self.text();
        let module = Source::new(&context, "case.mlir", &text).parse();
        let module = module.unwrap_or_else(|| panic!("{text}"));
        let all = walk::nested(module.as_operation());
        let kernel = all.into_iter().find_map(KernelOp::of).unwrap();
        planes::exchanged_bytes(kernel).unwrap_or_else(|_| panic!("{text}"))
    }
}

fn cases() -> Vec<Case> {
    let shapes: [(Vec<Reach>, &[u32], &[u32]); 7] = [
        (vec![Reach::symmetric(2)], &[64], &[2]),
        (vec![Reach::symmetric(1); 2], &[1, 128], &[1, 1]),
        (vec![Reach { behind: 2, ahead: 1 }, Reach { behind: 0, ahead: 3 }], &[1, 32], &[1, 3]),
        (vec![Reach::symmetric(1); 3], &[1, 8, 32], &[1, 4, 2]),
        (vec![Reach { behind: 1, ahead: 3 }; 3], &[1, 6, 32], &[1, 2, 1]),
        // Lines.
        (vec![Reach { behind: 2, ahead: 1 }, Reach { behind: 0, ahead: 3 }], &[4, 64], &[1, 3]),
        (vec![Reach::symmetric(4); 2], &[16, 32], &[1, 1]),
    ];
    let storages = [PlaneStorage::Shared, PlaneStorage::DiagonalFree, PlaneStorage::Retimed];
    let mut cases = Vec::new();
    for (reaches, threads, points) in shapes {
        for storage in storages {
            for (steps, element, skew) in
                [(1, "f64", Skew::Tight), (2, "f32", Skew::Tight), (2, "f64", Skew::Lazy)]
            {
                if reaches.len() == 2 && threads[0] > 1 && storage != PlaneStorage::Shared {
                    continue;
                }
                if skew == Skew::Lazy
                    && (reaches.len() == 1 || storage == PlaneStorage::DiagonalFree)
                {
                    continue;
                }
                let (reaches, threads, points) =
                    (reaches.clone(), threads.to_vec(), points.to_vec());
                cases.push(Case { reaches, threads, points, steps, element, storage, skew });
            }
        }
    }
    cases
}

#[test]
fn what_is_built_is_what_is_counted() {
    let cases = cases();
    assert!(cases.len() > 30);
    for case in cases {
        let bytes = if case.element == "f64" { 8 } else { 4 };
        // One dimension streams nothing: it has one plane.
        let counted = case.storage.of_tiling(&case.tiling(), bytes).shared_bytes;
        assert_eq!(case.built(), u64::from(counted), "{}", case.text());
    }
}

/// The tiles of the paper, radius 1, four steps, single precision: strips of 128 threads, and a
/// square of 32 by 32, each row of which takes a line.
#[test]
fn tiles_of_the_paper_take_what_it_says() {
    let tile = |threads, storage| Case {
        reaches: vec![Reach::symmetric(1); 2],
        threads,
        points: vec![1, 1],
        steps: 4,
        element: "f32",
        storage,
        skew: Skew::Tight,
    };
    let strip = |storage| tile(vec![1, 128], storage);
    assert_eq!(tile(vec![32, 32], PlaneStorage::Shared).built(), 17_408);
    assert_eq!(strip(PlaneStorage::Shared).built(), 6 * 1024);
    assert_eq!(strip(PlaneStorage::DiagonalFree).built(), 2 * 1024);
    assert_eq!(strip(PlaneStorage::Retimed).built(), 2 * 1024);
}

/// Two steps of the seven-point star: in scatter form two planes, the arriving one and the one that
/// the first step completes; in gather form three per step.
#[test]
fn two_steps_of_the_seven_point_star_take_what_is_counted() {
    let of = |storage| Case {
        reaches: vec![Reach::symmetric(1); 3],
        threads: vec![1, 16, 32],
        points: vec![1, 1, 1],
        steps: 2,
        element: "f64",
        storage,
        skew: Skew::Tight,
    };
    let plane = 16 * 32 * 8;
    assert_eq!(of(PlaneStorage::Retimed).built(), 2 * plane);
    assert_eq!(of(PlaneStorage::DiagonalFree).built(), 2 * plane);
    assert_eq!(of(PlaneStorage::Shared).built(), 6 * plane);
}
