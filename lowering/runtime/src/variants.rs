//! Chooses the function of a package by default.
//!
//! A program can be compiled for several sizes: then the package holds one function for each, all
//! variants of the first. The given files determine the size, since a file holds exactly the cells
//! of its field.

use crate::{
    bind::{self, Requests},
    fields::{self, FieldError, tuple},
    manifest::{Argument, ExtentsError, Function, Manifest, ManifestError},
    output::field_file_names,
};
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

/// Why no function was chosen.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum ChoiceError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error(transparent)]
    Extents(#[from] ExtentsError),
    #[error(
        "no variant of '{base}' has fields of the extents given: {given}; the package has\n{known}"
    )]
    NoVariant { base: String, given: String, known: String },
    #[error(
        "the fields given fit several variants of '{base}', {fitting}; name one with --function, \
         or give a field whose extents differ"
    )]
    SeveralVariants { base: String, fitting: String },
}

/// A field that comes from a file.
struct Given {
    position: usize,
    path: PathBuf,
    extents: Vec<u64>,
}

/// The function of this name; without a name, the default: the only function, or the variant whose
/// fields have the extents of the given files, else one with run-time extents, or without files the
/// base of the variants.
pub fn choose<'m>(
    manifest: &'m Manifest,
    name: Option<&str>,
    requests: &Requests,
    folder: Option<&Path>,
) -> Result<&'m Function, ChoiceError> {
    let Some(base) = base(manifest).filter(|_| name.is_none()) else {
        return Ok(manifest.function(name)?);
    };
    let given = given(&base.arguments, requests, folder)?;
    if given.is_empty() {
        return Ok(base);
    }
    let fitting: Vec<&Function> =
        manifest.functions.iter().filter(|function| fits(function, &given)).collect();
    let general = manifest.functions.iter().find(|function| function.extents.is_some());
    match fitting.as_slice() {
        [] if general.is_some() => Ok(general.unwrap_or(base)),
        [only] => Ok(only),
        [] => Err(no_variant(manifest, base, &given)),
        several => {
            let names: Vec<&str> = several.iter().map(|function| function.name.as_str()).collect();
            let (base, fitting) = (base.name.clone(), names.join(", "));
            Err(ChoiceError::SeveralVariants { base, fitting })
        }
    }
}

/// The extents that the given files give a function whose extents are run-time values; those of the
/// reference without files.
pub fn extents(
    function: &Function,
    requests: &Requests,
    folder: Option<&Path>,
) -> Result<Vec<u64>, ChoiceError> {
    let given = given(&function.arguments, requests, folder)?.into_iter();
    let shapes = given.map(|field| (field.position, field.extents)).collect::<Vec<_>>();
    Ok(function.extents_of(&shapes)?)
}

/// The base of all variants; none if there is none.
fn base(manifest: &Manifest) -> Option<&Function> {
    let base = manifest.functions.iter().find(|function| function.variant_of.is_none())?;
    let belongs = |function: &Function| match &function.variant_of {
        Some(of) => *of == base.name,
        None => function.name == base.name,
    };
    manifest.functions.iter().all(belongs).then_some(base)
}

/// The fields that come from files. Errors of the request are reported by binding.
fn given(
    arguments: &[Argument],
    requests: &Requests,
    folder: Option<&Path>,
) -> Result<Vec<Given>, FieldError> {
    let mut paths: Vec<(usize, PathBuf)> = Vec::new();
    for assignment in &requests.arguments {
        if let Ok(position) = bind::find_argument(arguments, &assignment.key) {
            paths.push((position, PathBuf::from(&assignment.value)));
        }
    }
    if let Some(folder) = folder {
        let names = field_file_names(arguments).into_iter().enumerate();
        paths.extend(names.map(|(position, name)| (position, folder.join(name))));
    }
    paths.retain(|(position, path)| {
        arguments[*position].kind.as_field().is_some() && path.is_file()
    });
    let read = |(position, path): (usize, PathBuf)| {
        let extents = fields::read_extents(&path)?;
        Ok(Given { position, path, extents })
    };
    paths.into_iter().map(read).collect()
}

fn fits(function: &Function, given: &[Given]) -> bool {
    // Of a function for several devices: the fields of the whole domain.
    let whole = function.whole();
    function.extents.is_none()
        && given.iter().all(|Given { position, extents, .. }| {
            let shape = whole.arguments[*position].kind.as_field();
            shape.is_some_and(|shape| shape.extents() == *extents)
        })
}

fn no_variant(manifest: &Manifest, base: &Function, given: &[Given]) -> ChoiceError {
    let files: Vec<String> = given
        .iter()
        .map(|Given { path, extents, .. }| format!("'{}' {}", path.display(), tuple(extents)))
        .collect();
    let positions: Vec<usize> = given.iter().map(|field| field.position).collect();
    ChoiceError::NoVariant {
        base: base.name.clone(),
        given: files.join(", "),
        known: table(&manifest.functions, |position| positions.contains(&position))
            .trim_end()
            .to_owned(),
    }
}

/// The functions with the extents of their fields, a line for each; `wanted` says of which fields.
fn table(functions: &[Function], wanted: impl Fn(usize) -> bool) -> String {
    let mut text = String::new();
    for Function { name, arguments, .. } in functions.iter().map(Function::whole) {
        let fields = arguments.iter().enumerate().filter(|(position, _)| wanted(*position));
        let fields = fields.filter_map(|(position, argument)| {
            let shape = argument.kind.as_field()?;
            let name = argument.name.clone().unwrap_or_else(|| position.to_string());
            Some(format!("{name} {}", tuple(&shape.extents())))
        });
        let fields: Vec<String> = fields.collect();
        writeln!(text, "  {name}: {}", fields.join(", ")).expect("text grows without errors");
    }
    text
}

/// The functions of a package of variants with the extents of their fields, as text; none if there
/// is no choice.
pub fn summary(manifest: &Manifest) -> Option<String> {
    let several = manifest.functions.len() > 1 && base(manifest).is_some();
    several.then(|| table(&manifest.functions, |_| true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use std::fs;

    fn manifest() -> Manifest {
        let mut manifest = samples::manifest();
        manifest.functions.push(samples::function_on(24));
        manifest
    }

    fn write(path: &Path, cells: usize) {
        let function = samples::function_on(cells);
        let shape = function.arguments[0].kind.as_field().unwrap();
        let file = fs::File::create(path).unwrap();
        fields::write_npy(file, shape, &vec![0; shape.bytes()]).unwrap();
    }

    fn requests(assignments: &[String]) -> Requests {
        let arguments = assignments.iter().map(|text| text.parse().unwrap()).collect();
        Requests { arguments, ..Requests::default() }
    }

    #[test]
    fn the_files_choose_the_variant() {
        let (manifest, folder) = (manifest(), tempfile::tempdir().unwrap());
        let large = folder.path().join("large.npy");
        write(&large, 24);
        write(&folder.path().join("v.npy"), 12);
        let by = |requests: &Requests, folder: Option<&Path>| {
            choose(&manifest, None, requests, folder)
                .map(|function| function.name.as_str())
                .map_err(|error| error.to_string())
        };
        let with_large = requests(&[format!("u={}", large.display()), "steps=3".to_owned()]);
        assert_eq!(by(&with_large, None), Ok("heat_24"));
        assert_eq!(by(&Requests::default(), Some(folder.path())), Ok("heat"));
        assert_eq!(by(&requests(&["steps=3".to_owned()]), None), Ok("heat"));
        // Unknown names and missing files are reported by binding.
        assert_eq!(
            by(&requests(&["w=a.npy".to_owned(), "u=/no/a.npy".to_owned()]), None),
            Ok("heat")
        );

        let error = by(&with_large, Some(folder.path())).unwrap_err();
        assert!(
            error.starts_with("no variant of 'heat' has fields of the extents given"),
            "{error}"
        );
        assert!(error.contains("large.npy' (24,), '"), "{error}");
        assert!(
            error.ends_with("\n  heat: u (12,), v (12,)\n  heat_24: u (24,), v (24,)"),
            "{error}"
        );
    }

    #[test]
    fn names_come_first_and_doubts_are_told() {
        let mut manifest = manifest();
        let none = Requests::default();
        assert_eq!(choose(&manifest, Some("heat_24"), &none, None).unwrap().name, "heat_24");
        assert_eq!(
            choose(&manifest, Some("heat_25"), &none, None).unwrap_err().to_string(),
            "function 'heat_25' is not in the package; it has heat, heat_24"
        );
        assert!(summary(&manifest).unwrap().contains("  heat_24: u (24,), v (24,)\n"));

        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("u.npy"), 24);
        let mut twin = samples::function_on(24);
        twin.name = "heat_twin".to_owned();
        manifest.functions.push(twin);
        let error = choose(&manifest, None, &none, Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("fit several variants of 'heat', heat_24, heat_twin"), "{error}");

        manifest.functions[2].variant_of = None;
        let error = choose(&manifest, None, &none, None).unwrap_err().to_string();
        assert!(error.contains("package has functions heat, heat_24, heat_twin;"), "{error}");
        assert_eq!(summary(&manifest), None);
        assert_eq!(summary(&samples::manifest()), None);
    }
}
