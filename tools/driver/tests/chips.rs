//! Default plans for every chip: they fit, the assembler takes them, and they spill where those for
//! the chip that was measured do. A usual run takes two programs for each chip, which change from
//! chip to chip; the nightly run takes all of them.

use std::{collections::BTreeSet, path::Path};
use stencil_driver::{
    compile::{self, Emit},
    input::Input,
    reading::Reading,
    session::{self, Session},
    target::Target,
};
use stencil_lowering::ptx::ptxas;
use stencil_model::{
    occupancy::{BlockDemand, occupancy},
    product::{PRODUCTS, Product},
};

/// Programs, each at a size at which its time loop or group may be a sweep.
const PROGRAMS: [(&str, &str); 7] = [
    ("j3d7pt", "256,256,256"),
    ("j2d5pt", "8192,8192"),
    ("denoise", "256,256,256"),
    ("curl", "256,256,256"),
    ("harris", "4096,4096"),
    ("weno5", "256,256,128"),
    ("acoustic-so4", "256,256,256"),
];

/// Bytes of a thread that may be spilled where nothing is on the chip that was measured: the
/// assembler of another architecture finds another order.
const SPILLED_MOST: u32 = 64;

/// The most bytes that a kernel of a program spills by its default plan for a chip.
fn spilled((name, extents): (&str, &str), chip: &Product) -> u32 {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    let input = Input::read(&file.join(format!("{name}.mlir"))).unwrap();
    let context = session::new_context();
    let target = Target::of_options(None, Some(&chip.option()), None).unwrap();
    let session = Session::new(&context, &input, target);
    let extents = Some(extents.parse().unwrap());
    let reading = Reading { extents, ..Reading::of(&input) };
    let frozen = session.freeze(&session.read(&reading).unwrap()).unwrap();
    let made = compile::compile(&session, &frozen, &BTreeSet::from([Emit::Package])).unwrap();
    let manifest = made.package.unwrap().code.manifest;
    let of_kernel = |kernel: &stencil_runtime::manifest::Kernel| {
        let used = kernel.resources.unwrap_or_else(|| panic!("{name}: ptxas takes it"));
        let demand = BlockDemand {
            threads: kernel.block.iter().product(),
            registers_per_thread: used.registers,
            shared_bytes: used.static_shared_bytes + kernel.shared_bytes,
        };
        let blocks = occupancy(target.architecture, demand).blocks;
        assert!(blocks > 0, "{name} for {}: {} does not fit", chip.name(), kernel.name);
        used.spill_store_bytes
    };
    manifest.kernels.iter().map(of_kernel).max().unwrap()
}

#[test]
fn default_plans_for_every_chip_are_assembled_without_new_spills() {
    if ptxas::find().is_none() {
        return;
    }
    let measured = Product::named("NVIDIA H200").unwrap();
    for (number, program) in PROGRAMS.into_iter().enumerate() {
        // Sevens of both: each chip has two programs.
        let is_drawn = |chip: usize| (chip + PROGRAMS.len() - number) % PROGRAMS.len() < 2;
        let most = spilled(program, measured);
        for (chip, product) in PRODUCTS.iter().enumerate() {
            if product == measured || !(crate::nightly() || is_drawn(chip)) {
                continue;
            }
            let spilled = spilled(program, product);
            let (name, chip) = (program.0, product.name());
            assert!(most > 0 || spilled <= SPILLED_MOST, "{name} for {chip}: {spilled} bytes");
        }
    }
}
