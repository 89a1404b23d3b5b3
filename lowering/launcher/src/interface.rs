//! The interface of a package: the names of its functions, arguments and constants.
//!
//! The same in C and in Fortran. The default function is `<stem>_run`; the others are
//! `<stem>_run_<name>`, and so are all if there is no default. Constants of a field are named
//! likewise: `HEAT3D_U_EXTENT_0`, `HEAT3D_OTHER_U_EXTENT_0`.

use crate::{
    LauncherError,
    names::{self, Names},
};
use std::collections::HashMap;
use stencil_runtime::{
    Manifest, Package, ScalarType,
    manifest::{Argument, ArgumentKind, FieldShape, Function, Kernel, Statement},
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
    /// The suffix after `<prefix>_` in C: `run`, `run_other`.
    pub(crate) name: String,
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
}

impl<'p> Interface<'p> {
    /// The names of `package` in files named `stem`.
    pub(crate) fn of(package: &'p Package, stem: &'p str) -> Result<Interface<'p>, LauncherError> {
        let manifest = &package.code.manifest;
        manifest.validate()?;
        let is_general = |function: &&Function| function.extents.is_some();
        if let Some(general) = manifest.functions.iter().find(is_general) {
            return Err(LauncherError::RunTimeExtents(general.name.clone()));
        }
        let prefix = names::sanitize(stem).filter(|_| !stem.contains(['"', '\\', '\n', '/']));
        let prefix = prefix.ok_or_else(|| LauncherError::Stem(stem.to_owned()))?;
        let main = main_function(manifest);
        let mut function_names = Names::without(["run"]);
        let mut constants = Names::new();
        let functions = manifest.functions.iter().map(|function| {
            let is_main = main.is_some_and(|main| main.name == function.name);
            let name = names::sanitize(&function.name).unwrap_or_else(|| "function".to_owned());
            let own = (!is_main).then(|| function_names.take(format!("run_{name}")));
            function_interface(function, &prefix, own, &mut constants)
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

    /// The kernel of this name, and its number.
    pub(crate) fn kernel(&self, name: &str) -> (usize, &'p Kernel) {
        let kernels = self.manifest.kernels.iter().enumerate();
        let mut found = kernels.filter(|(_, kernel)| kernel.name == name);
        found.next().expect("a validated launch names a kernel of the manifest")
    }
}

impl FunctionInterface<'_> {
    /// The fields among the arguments, with their positions.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, &ArgumentInterface<'_>)> {
        self.arguments.iter().enumerate().filter(|(_, argument)| argument.shape().is_some())
    }

    /// The temporary buffers with their sizes in bytes, in the order of the program.
    pub(crate) fn temporaries(&self) -> Vec<(u32, u64)> {
        let mut found = Vec::new();
        collect_allocations(&self.function.body, &mut found);
        found
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
    function: &'p Function,
    prefix: &str,
    own: Option<String>,
    constants: &mut Names,
) -> FunctionInterface<'p> {
    let given = function.arguments.iter().map(|argument| argument.name.as_deref());
    let parameters = names::parameters(prefix, given);
    let before = match &own {
        Some(name) => name.replacen("run", prefix, 1).to_lowercase(),
        None => prefix.to_lowercase(),
    };
    let mut dummies = Names::new();
    let arguments = function.arguments.iter().zip(parameters).map(|(argument, name)| {
        let constants = constants.take(format!("{before}_{}", name.to_lowercase()));
        let fortran = names::fortran(&dummies.take(name.clone()));
        ArgumentInterface { argument, name, fortran, constants }
    });
    let arguments = arguments.collect();
    FunctionInterface { function, name: own.unwrap_or_else(|| "run".to_owned()), arguments }
}

fn collect_allocations(body: &[Statement], found: &mut Vec<(u32, u64)>) {
    for statement in body {
        match statement {
            Statement::Allocate { result, element, elements } => {
                found.push((result.0, elements * element.bytes() as u64));
            }
            Statement::For { body, .. } => collect_allocations(body, found),
            _ => {}
        }
    }
}

/// The numbers of the handle's device memory: copies of fields and temporary buffers, function by
/// function.
pub(crate) struct MemoryTable {
    /// Bytes of each.
    pub(crate) bytes: Vec<u64>,
    /// For each function, the number of its first field's copy.
    pub(crate) fields: Vec<usize>,
    /// For each function, the number of its first temporary buffer.
    pub(crate) temporaries: Vec<usize>,
}

impl MemoryTable {
    /// The table of a package.
    pub(crate) fn of(interface: &Interface) -> MemoryTable {
        let mut table =
            MemoryTable { bytes: Vec::new(), fields: Vec::new(), temporaries: Vec::new() };
        for function in &interface.functions {
            table.fields.push(table.bytes.len());
            let shapes = function.fields().filter_map(|(_, field)| field.shape());
            table.bytes.extend(shapes.map(|shape| shape.bytes() as u64));
            table.temporaries.push(table.bytes.len());
            table.bytes.extend(function.temporaries().iter().map(|(_, bytes)| bytes));
        }
        table
    }
}

/// The size in bytes of each buffer value of a function, by its number.
pub(crate) fn buffer_bytes(function: &Function) -> HashMap<u32, u64> {
    let mut bytes = HashMap::new();
    for (position, argument) in function.arguments.iter().enumerate() {
        if let Some(shape) = argument.kind.as_field() {
            bytes.insert(position as u32, shape.bytes() as u64);
        }
    }
    collect_buffers(&function.body, &mut bytes);
    bytes
}

fn collect_buffers(body: &[Statement], bytes: &mut HashMap<u32, u64>) {
    for statement in body {
        match statement {
            Statement::Allocate { result, element, elements } => {
                bytes.insert(result.0, elements * element.bytes() as u64);
            }
            Statement::For { carried, body, .. } => {
                let known: Vec<Option<u64>> =
                    carried.iter().map(|slot| bytes.get(&slot.initial.0).copied()).collect();
                for (slot, size) in carried.iter().zip(known) {
                    if let Some(size) = size {
                        bytes.insert(slot.argument.0, size);
                        bytes.insert(slot.result.0, size);
                    }
                }
                collect_buffers(body, bytes);
            }
            _ => {}
        }
    }
}
