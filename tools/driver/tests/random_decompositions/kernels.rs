//! The programs of `test/kernels` on several devices.

use super::{Failure, Stage, compile, cut, resized};
use crate::{
    failing::{
        Said, at,
        interpreted::{interpret, requests, same},
    },
    kernel_programs,
};
use melior::ir::Module;
use stencil_driver::{
    DriverError, arguments,
    emulated::Emulation,
    input::Input,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
};
use stencil_runtime::bind::Requests;

/// Programs that devices cannot share, and the reason.
const REFUSED: &[(&str, &str)] = &[
    ("forced-heat3d", "computes the number of the plane that it reads"),
    ("tti-so8", "too few for 3 devices with their halos"),
];

/// A program on a domain that is long enough to be cut, and no larger.
fn small<'c>(session: &Session<'c>, module: Module<'c>) -> Result<Module<'c>, DriverError> {
    resized(session, module, |extents| *extents = [48, 17, 19][..extents.len()].to_vec())
}

fn check_kernel(input: &Input) -> Result<(), String> {
    for devices in [2, 3] {
        let context = session::new_context();
        context.enable_multi_threading(false);
        let target = Target::new(target::DEFAULT, None).unwrap();
        let session = Session::new(&context, input, target);
        let said = Said::listen(&context);
        let run = || -> Result<(), Failure> {
            let module = session.parse().map_err(at(Stage::Interpret))?;
            let module = small(&session, module).map_err(at(Stage::Interpret))?;
            let frozen = session.freeze(&module).map_err(at(Stage::Interpret))?;
            let decomposed = |steps: i64| {
                let options = format!("devices={devices} steps={steps}");
                cut(&session, &module, &options).map_err(at(Stage::Decompose))
            };
            let refused = || at(Stage::Decompose)(DriverError::Diagnosed);
            let fewest = decomposed(0)?.ok_or_else(refused)?;
            // As many as the fields' places and the planes permit.
            let most = [8, 9, 6, 4].into_iter().map(decomposed);
            let most = most.filter_map(Result::transpose).next().transpose()?;
            let windows = most.unwrap_or(fewest);
            let (manifest, llvm_ir) = compile(&session, &windows).map_err(at(Stage::Compile))?;
            let emulation = Emulation::of_llvm_ir(&session, manifest, &llvm_ir);
            let emulation = emulation.map_err(at(Stage::Emulate))?;
            let by_ranks = emulation.by_ranks();
            let functions = emulation.manifest().functions.iter();
            for name in functions.map(|function| &function.name) {
                let requests = scalars(&session, &frozen, name)?;
                let expected = interpret(&session, &frozen, name, &requests);
                let expected = expected.map_err(at(Stage::Interpret))?;
                for emulation in [&emulation, &by_ranks] {
                    let bound = arguments::bind(&expected.0, &requests);
                    let mut bound = bound.map_err(at(Stage::Emulate))?;
                    emulation.run(name, &mut bound, &Silent).map_err(at(Stage::Emulate))?;
                    same(Stage::Differs, &expected, &bound.values)?;
                }
            }
            Ok(())
        };
        run().map_err(|failure| {
            let error = said.error().unwrap_or_default();
            format!("{} on {devices}: {failure}: {error}", input.name)
        })?;
    }
    Ok(())
}

/// Small numbers for the scalars of a function; six time steps, or seven.
fn scalars(session: &Session, frozen: &Module, function: &str) -> Result<Requests, Failure> {
    let program = session.decode(frozen, function).map_err(at(Stage::Interpret))?;
    let arguments = arguments::arguments(&program, frozen).map_err(at(Stage::Interpret))?;
    let scalar = |(position, argument): (usize, &stencil_runtime::manifest::Argument)| {
        match &argument.kind {
            stencil_runtime::manifest::ArgumentKind::Field(_) => None,
            stencil_runtime::manifest::ArgumentKind::Scalar { scalar, .. } => {
                let value = if scalar.is_float() { "0.25" } else { "7" };
                Some((position, value.to_owned()))
            }
        }
    };
    Ok(requests(1, arguments.iter().enumerate().filter_map(scalar).collect()))
}

#[test]
fn kernels_on_several_devices_give_the_bits_of_one() {
    kernel_programs::check(REFUSED, check_kernel);
}
