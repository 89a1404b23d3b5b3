//! Looks up functions by name, for hosts that use `cuGetProcAddress`.

use crate::{
    boundary::{Answer, Code, In, Out, export},
    context, copies, device, errors, event, graph, launch, memory, module, peers, stream,
};
use std::ffi::c_char;

/// Query results of `cuGetProcAddress`.
const FOUND: u32 = 0;
const NOT_FOUND: u32 = 1;

/// From this version on a name means its newest form.
const NEWEST_FORMS_SINCE: i32 = 12_000;

fn all() -> Vec<(&'static str, usize)> {
    let tables = [
        context::symbols(),
        copies::symbols(),
        device::symbols(),
        errors::symbols(),
        event::symbols(),
        graph::symbols(),
        launch::symbols(),
        memory::symbols(),
        module::symbols(),
        peers::symbols(),
        stream::symbols(),
        symbols(),
    ];
    tables.concat()
}

/// The function of a name in a version of CUDA: names have no suffix there, and mean the newest
/// form of their version.
fn find(name: &str, version: i32) -> Option<usize> {
    let all = all();
    let exact = |wanted: &str| all.iter().find(|(known, _)| *known == wanted).map(|(_, at)| *at);
    let newest = version >= NEWEST_FORMS_SINCE;
    match name {
        "cuGraphInstantiate" if newest => return exact("cuGraphInstantiateWithFlags"),
        "cuGraphInstantiate" => return exact("cuGraphInstantiate_v2"),
        _ => {}
    }
    let suffixes: &[&str] = if newest { &["_v4", "_v3", "_v2", ""] } else { &["_v2", ""] };
    suffixes.iter().find_map(|suffix| exact(&format!("{name}{suffix}")))
}

fn put(symbol: In<c_char>, function: Out<usize>, version: i32, status: Out<u32>) -> Answer {
    let found = find(symbol.text()?.to_str().unwrap_or_default(), version);
    status.put_if_wanted(if found.is_some() { FOUND } else { NOT_FOUND });
    match found {
        Some(address) => function.put(address),
        None => {
            function.put_if_wanted(0);
            Err(Code::CUDA_ERROR_NOT_FOUND)
        }
    }
}

export! {
    /// The function of a name.
    fn cuGetProcAddress(symbol: In<c_char>, function: Out<usize>, version: i32, _flags: u64) {
        put(symbol, function, version, crate::boundary::write_at(0))
    }

    /// The function of a name, and the query result.
    fn cuGetProcAddress_v2(
        symbol: In<c_char>,
        function: Out<usize>,
        version: i32,
        _flags: u64,
        status: Out<u32>,
    ) {
        put(symbol, function, version, status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_their_newest_form() {
        let exact = |name: &str| all().iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!(find("cuMemAlloc", 12_000), Some(exact("cuMemAlloc_v2")));
        assert_eq!(find("cuCtxCreate", 13_000), Some(exact("cuCtxCreate_v4")));
        assert_eq!(find("cuCtxCreate", 11_040), Some(exact("cuCtxCreate_v2")));
        let instantiate = exact("cuGraphInstantiateWithFlags");
        assert_eq!(find("cuGraphInstantiate", 12_000), Some(instantiate));
        assert_eq!(find("cuTexObjectCreate", 12_000), None);
    }

    #[test]
    fn no_name_is_exported_twice() {
        let mut names: Vec<&str> = all().into_iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 100, "{count} functions");
    }
}
