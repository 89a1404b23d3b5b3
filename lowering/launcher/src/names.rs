//! Unique identifiers for the names of a program, legal in C, C++ and Fortran.
//!
//! A name of the source may be anything: a keyword, a number, a word in another script. It becomes
//! letters, digits and single underscores, begins with a letter, and is not a reserved word. In
//! Fortran, and in upper-case macros, names that differ only by case are equal, such as Devito's
//! `time_m` and `time_M`.

use std::collections::HashSet;

/// The identifier length that a Fortran compiler must accept.
const FORTRAN_LENGTH_MAX: usize = 63;
/// Hash characters of a shortened name.
const DIGEST_LENGTH: usize = 8;

/// Reserved words of C, C++ and the included headers, and macros of compilers.
const WORDS_OF_C: &str = "
    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor
    bool break case catch char char16_t char32_t char8_t class co_await co_return co_yield compl
    complex concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto
    i386 if imaginary inline int linux long mutable namespace new noexcept noreturn not not_eq
    nullptr operator or or_eq private protected public reflexpr register reinterpret_cast
    requires restrict return short signed sizeof static static_assert static_cast struct switch
    synchronized template this thread_local throw true try typedef typeid typename typeof
    typeof_unqual union unix unsigned using virtual void volatile wchar_t while xor xor_eq
    assert clock_t errno int16_t int32_t int64_t int8_t intptr_t offsetof ptrdiff_t size_t
    stderr stdin stdout uint16_t uint32_t uint64_t uint8_t uintptr_t va_arg va_copy va_end
    va_start
";

/// Names used in the bodies of generated functions, in C and in Fortran.
const WORDS_OF_LAUNCHERS: &str = "
    function handle module package stream fields code status values sizes self queue present merge
    associated error_unit c_associated c_bool c_char c_double c_f_pointer c_float c_int c_int16_t
    c_int32_t c_int64_t c_int8_t c_loc c_null_ptr c_ptr c_size_t
";

/// Suffixes, or their prefixes, of the launcher's own names.
const NAMES_OF_LAUNCHERS: &[&str] = &[
    "handle", "field", "package", "create", "expect", "shared", "the", "of", "ok", "on", "read",
    "error", "bound", "run", "length",
];

/// What the names of the library begin with.
const LIBRARY: &str = "stencil_";

/// Allocates identifiers, unique ignoring case.
pub(crate) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// None is taken.
    pub(crate) fn new() -> Names {
        Names { taken: HashSet::new() }
    }

    /// These are already taken.
    pub(crate) fn without<S: AsRef<str>>(taken: impl IntoIterator<Item = S>) -> Names {
        Names { taken: taken.into_iter().map(|name| name.as_ref().to_lowercase()).collect() }
    }

    /// A free identifier, `name` itself if that is one.
    pub(crate) fn take(&mut self, name: String) -> String {
        free(name, |candidate| self.taken.insert(candidate.to_lowercase()))
    }
}

/// The first free one of `name`, `name_2`, `name_3` ...
fn free(name: String, mut take: impl FnMut(&str) -> bool) -> String {
    let mut candidate = name.clone();
    let mut count = 1;
    while !take(&candidate) {
        count += 1;
        candidate = format!("{name}_{count}");
    }
    candidate
}

/// Text that cannot end a comment, on one line.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}

/// Letters, digits and single underscores; a letter first. Empty, if nothing is left.
pub(crate) fn sanitize(name: &str) -> Option<String> {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(legal).collect();
    let words: Vec<&str> = text.split('_').filter(|word| !word.is_empty()).collect();
    let joined = words.join("_");
    let first = joined.chars().next()?;
    Some(if first.is_ascii_digit() { format!("k{joined}") } else { joined })
}

/// Names in C of the parameters of a function, in their order; `prefix` is the package's.
pub(crate) fn parameters<'n>(
    prefix: &str,
    names: impl Iterator<Item = Option<&'n str>>,
) -> Vec<String> {
    let words: HashSet<&str> =
        WORDS_OF_C.split_whitespace().chain(WORDS_OF_LAUNCHERS.split_whitespace()).collect();
    let prefixes = [format!("{}_", prefix.to_lowercase()), "pkg_".to_owned(), LIBRARY.to_owned()];
    let safe = |(position, name): (usize, Option<&str>)| {
        let name = name.and_then(sanitize).unwrap_or_else(|| format!("argument_{position}"));
        let lower = name.to_lowercase();
        let is_macro = name.len() > 1 && name != lower && name == name.to_uppercase();
        // `u_field` is a type if the package is called 'u'.
        let is_of_launcher = prefixes.iter().any(|prefix| {
            let rest = lower.strip_prefix(prefix.as_str());
            rest.is_some_and(|rest| {
                prefix == "pkg_"
                    || prefix == LIBRARY
                    || NAMES_OF_LAUNCHERS.iter().any(|own| rest.starts_with(own))
            })
        });
        let is_word = words.contains(lower.as_str());
        if is_macro || is_word || is_of_launcher { format!("arg_{name}") } else { name }
    };
    let mut taken = HashSet::new();
    let distinct = |name| free(name, |candidate| taken.insert(candidate.to_owned()));
    names.enumerate().map(safe).map(distinct).collect()
}

/// The name as Fortran takes it: at most 63 characters, long ones with a digest at the end.
pub(crate) fn fortran(name: &str) -> String {
    if name.len() <= FORTRAN_LENGTH_MAX {
        return name.to_owned();
    }
    // FNV-1a: any well-distributed hash works.
    let digest = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let kept = &name[..FORTRAN_LENGTH_MAX - DIGEST_LENGTH - 1];
    format!("{kept}_{:0width$x}", digest >> 32, width = DIGEST_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_an_identifier() {
        let of = |text| sanitize(text).unwrap_or_default();
        assert_eq!(of("heat3d"), "heat3d");
        assert_eq!(of("heat-3d.f64"), "heat_3d_f64");
        assert_eq!(of("3d"), "k3d");
        assert_eq!(of("__a__b_"), "a_b");
        assert_eq!(of("größe"), "gr_e");
        assert_eq!(of("Δ"), "");
    }

    #[test]
    fn parameters_are_distinct_and_no_words() {
        let given = ["u", "U", "double", "Δ", "Class", "handle", "EOF", "u_field", "X", "u_2"];
        let names = parameters("u", given.iter().map(|name| Some(*name)));
        assert_eq!(
            names,
            [
                "u",
                "U",
                "arg_double",
                "argument_3",
                "arg_Class",
                "arg_handle",
                "arg_EOF",
                "arg_u_field",
                "X",
                "u_2"
            ]
        );
        assert_eq!(parameters("u", [None, Some("u_create")].into_iter())[1], "arg_u_create");
        assert_eq!(parameters("u", [Some("stencil_run")].into_iter()), ["arg_stencil_run"]);
    }

    #[test]
    fn long_names_stay_distinct_in_fortran() {
        let long = |last: char| fortran(&format!("{}{last}", "stencil_".repeat(10)));
        assert_eq!(long('a').len(), FORTRAN_LENGTH_MAX);
        assert_ne!(long('a'), long('b'));
        assert_eq!(fortran("u"), "u");
    }
}
