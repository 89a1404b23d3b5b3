//! The interface of a package: the names of its functions, arguments and constants.
//!
//! The same in C and in Fortran. The default function is `<stem>_run`; the others are
//! `<stem>_run_<name>`, and so are all if there is no default. Constants of a field are named
//! likewise: `HEAT3D_U_EXTENT_0`, `HEAT3D_OTHER_U_EXTENT_0`.

use crate::{
    LauncherError,
    names::{self, Names},
    sizes::{self, Cells, Size},
};
use stencil_runtime::{
    Manifest, Package, ScalarType,
    manifest::{Argument, ArgumentKind, FieldShape, Function},
};

/// The names of a package.
pub(crate) struct Interface<'p> {
    /// The package.
    pub(crate) manifest: &'p Manifest,
    /// The file name without its ending, as given.
    pub(crate) stem: &'p str,
    /// The prefix of names, without the underscore.
    pub(crate) prefix: String,
    /// The functions, in the manifest's order.
    pub(crate) functions: Vec<FunctionInterface<'p>>,
}

/// The names of a function.
pub(crate) struct FunctionInterface<'p> {
    /// The function.
    pub(crate) function: &'p Function,
    /// Its place in the package.
    pub(crate) place: usize,
    /// The suffix after `<prefix>_` in C: `run`, `run_other`.
    pub(crate) name: String,
    /// The sizes that a call gives before them, in the order of the library.
    pub(crate) sizes: Vec<Size>,
    /// Its arguments, in their order.
    pub(crate) arguments: Vec<ArgumentInterface<'p>>,
}

/// The names of an argument.
pub(crate) struct ArgumentInterface<'p> {
    /// The argument.
    pub(crate) argument: &'p Argument,
    /// As a parameter in C.
    pub(crate) name: String,
    /// As a dummy argument in Fortran.
    pub(crate) fortran: String,
    /// The prefix of its constants, without the underscore, in lower case.
    pub(crate) constants: String,
    /// Of a field: its cells along each dimension.
    pub(crate) cells: Vec<Cells>,
}

impl<'p> Interface<'p> {
    /// The names of `package` in files named `stem`.
    pub(crate) fn of(package: &'p Package, stem: &'p str) -> Result<Interface<'p>, LauncherError> {
        let manifest = &package.code.manifest;
        manifest.validate()?;
        // 'stencil.h' is the library's.
        let is_free =
            !stem.contains(['"', '\\', '\n', '/']) && !stem.eq_ignore_ascii_case("stencil");
        let prefix = names::sanitize(stem).filter(|_| is_free);
        let prefix = prefix.ok_or_else(|| LauncherError::Stem(stem.to_owned()))?;
        let main = main_function(manifest);
        let mut function_names = Names::without(["run"]);
        let mut constants = Names::new();
        // The library takes variants of a function for all extents by itself.
        let called =
            manifest.functions.iter().enumerate().filter(|(_, function)| {
                function.extents.is_none() || function.variant_of.is_none()
            });
        let functions = called.map(|(place, function)| {
            let is_main = main.is_some_and(|main| main.name == function.name);
            let name = names::sanitize(&function.name).unwrap_or_else(|| "function".to_owned());
            let own = (!is_main).then(|| function_names.take(format!("run_{name}")));
            function_interface((place, function), &prefix, own, &mut constants)
        });
        let functions = functions.collect();
        Ok(Interface { manifest, stem, functions, prefix })
    }

    /// The prefix in capitals.
    pub(crate) fn upper(&self) -> String {
        self.prefix.to_uppercase()
    }

    /// The text with the package's prefix in place of `pkg` and `PKG` at word starts.
    pub(crate) fn with_prefix(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = [rest.find("pkg_"), rest.find("PKG_")].into_iter().flatten().min() {
            let (before, after) = rest.split_at(at);
            let (word, after) = after.split_at("pkg".len());
            result.push_str(before);
            let inside = result.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            match (inside, word) {
                (true, word) => result.push_str(word),
                (false, "pkg") => result.push_str(&self.prefix),
                (false, _) => result.push_str(&self.upper()),
            }
            rest = after;
        }
        result + rest
    }
}

impl FunctionInterface<'_> {
    /// The fields among the arguments, with their positions.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, &ArgumentInterface<'_>)> {
        self.arguments.iter().enumerate().filter(|(_, argument)| argument.shape().is_some())
    }

    /// Whether its sizes have names in the program.
    pub(crate) fn is_named(&self) -> bool {
        self.function.extents.as_ref().is_some_and(|extents| extents.sizes.is_some())
    }

    /// The names of its sizes in C.
    pub(crate) fn size_names(&self) -> Vec<&str> {
        self.sizes.iter().map(|size| size.name.as_str()).collect()
    }
}

impl<'p> ArgumentInterface<'p> {
    /// The shape, if this is a field.
    pub(crate) fn shape(&self) -> Option<&'p FieldShape> {
        self.argument.kind.as_field()
    }

    /// The type, if this is a number.
    pub(crate) fn scalar(&self) -> Option<ScalarType> {
        match &self.argument.kind {
            ArgumentKind::Scalar { scalar, .. } => Some(*scalar),
            ArgumentKind::Field(_) => None,
        }
    }

    /// The symbol that a number is bound to.
    pub(crate) fn symbol(&self) -> Option<&'p str> {
        match &self.argument.kind {
            ArgumentKind::Scalar { symbol, .. } => symbol.as_deref(),
            ArgumentKind::Field(_) => None,
        }
    }

    /// The role of an argument, as one line of text.
    pub(crate) fn role(&self) -> &'static str {
        match self.shape() {
            Some(FieldShape { scratch: true, .. }) => {
                "scratch: read and written, its content after a run is unspecified"
            }
            Some(FieldShape { written: true, .. }) => "read and written",
            Some(_) => "read only",
            None => "by value",
        }
    }
}

/// The default function: the only one, or the base of all variants.
fn main_function(manifest: &Manifest) -> Option<&Function> {
    let main = manifest.functions.iter().find(|function| function.variant_of.is_none())?;
    let belongs = |function: &Function| match &function.variant_of {
        Some(of) => *of == main.name,
        None => function.name == main.name,
    };
    manifest.functions.iter().all(belongs).then_some(main)
}

fn function_interface<'p>(
    (place, function): (usize, &'p Function),
    prefix: &str,
    own: Option<String>,
    constants: &mut Names,
) -> FunctionInterface<'p> {
    let given = function.arguments.iter().map(|argument| argument.name.as_deref());
    let of_sizes = sizes::names(function);
    // Arguments keep their names; sizes without one are numbered.
    let numbered = (0..of_sizes.len()).map(|d| format!("extent_{d}")).collect::<Vec<_>>();
    let named = of_sizes.iter().zip(&numbered).map(|(name, own)| Some(name.unwrap_or(own)));
    let mut parameters = names::parameters(prefix, given.chain(named));
    let of_sizes = of_sizes.into_iter().zip(parameters.split_off(function.arguments.len()));
    let before = match &own {
        Some(name) => name.replacen("run", prefix, 1).to_lowercase(),
        None => prefix.to_lowercase(),
    };
    let mut dummies = Names::new();
    let arguments = function.arguments.iter().zip(parameters).enumerate();
    let arguments = arguments.map(|(position, (argument, name))| {
        let rank = argument.kind.as_field().map_or(0, |field| field.lower.len());
        let cells = (0..rank).map(|d| Cells::of(function, position, d)).collect();
        let constants = constants.take(format!("{before}_{}", name.to_lowercase()));
        let fortran = names::fortran(&dummies.take(name.clone()));
        ArgumentInterface { argument, name, fortran, constants, cells }
    });
    let arguments = arguments.collect();
    let rank = of_sizes.len();
    let sizes = of_sizes.enumerate().map(|(d, (named, name))| {
        let (fortran, meaning) = match named {
            Some(size) => (name.clone(), format!("the program's size '{size}'")),
            // Fortran counts dimensions from the contiguous one on, and from 1.
            None => (format!("extent_{}", rank - d), format!("points of dimension {d}")),
        };
        Size { name, fortran: names::fortran(&dummies.take(fortran)), meaning }
    });
    let sizes = sizes.collect();
    let name = own.unwrap_or_else(|| "run".to_owned());
    FunctionInterface { function, place, name, sizes, arguments }
}
