//! Typed views and builders of ops, from their definitions in ODS.
//!
//! For each op of a dialect: a constant with its name, a view with an accessor for each operand,
//! result, attribute and region under its name in ODS, and a function that inserts one. The
//! function takes what the definition requires: result types that neither a trait nor the
//! constraint of the result tells, operands, and attributes without a default. Ops with successors
//! have no such function, nor have those with a required property that is no attribute.

use crate::dialects::DIALECTS;
use crate::names::{accessor, capitalized, function, parameter, snake};
use std::{env, fs, io, path::Path};

use tblgen::{TableGenParser, TypedInit, record::Record, record_keeper::RecordKeeper};

/// Accessors that the crate writes by hand, because they say more than ODS does.
const BY_HAND: &[(&str, &str)] = &[
    ("stencil.apply", "bounds"),
    ("stencil.index", "offset"),
    ("sweep.kernel", "form"),
    ("sweep.kernel", "slots"),
];

/// Writes `ods.rs` into the output folder of the build.
pub fn generate(llvm_prefix: &Path) -> io::Result<()> {
    let mut text = String::new();
    for (dialect, files, only) in DIALECTS {
        let folders =
            [llvm_prefix.join("include"), "stencil/include".into(), "sweep/include".into()];
        let mut parser = TableGenParser::new();
        for folder in &folders {
            parser = parser.add_include_directory(folder.to_str().expect("a path is UTF-8"));
        }
        let source = files.iter().map(|file| format!("include \"{file}\"\n")).collect::<String>();
        let keeper = parser.add_source(&source).and_then(TableGenParser::parse);
        let keeper =
            keeper.map_err(|error| io::Error::other(format!("ODS of {dialect}: {error}")))?;
        let mut ops = keeper
            .all_derived_definitions("Op")
            .filter(|record| {
                let name = record.str_value("opName").unwrap_or_default();
                only.is_empty() || only.contains(&name)
            })
            .filter_map(|record| Op::read(record, dialect))
            .collect::<Vec<_>>();
        ops.sort_by(|a, b| a.mnemonic.cmp(&b.mnemonic));
        text += &format!("/// Ops of `{dialect}`.\npub mod {dialect} {{\nuse super::*;\n");
        text.extend(ops.iter().map(Op::emit));
        text += &discardable_attributes(&keeper, dialect);
        text += "}\n";
    }
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("ods.rs"), text)
}

/// A module `attribute` with the names of a dialect's discardable attributes, if it has any.
fn discardable_attributes(keeper: &RecordKeeper, dialect: &str) -> String {
    let mut dialects = keeper.all_derived_definitions("Dialect");
    let found = dialects.find(|it| it.str_value("name").is_ok_and(|name| name == dialect));
    let dag = found.and_then(|it| it.dag_value("discardableAttrs").ok());
    let names = dag.map(|dag| dag.args().filter_map(|(name, _)| name).collect::<Vec<_>>());
    let Some(names) = names.filter(|names| !names.is_empty()) else { return String::new() };
    let mut text = format!("/// Discardable attributes of `{dialect}`.\npub mod attribute {{\n");
    for name in names {
        let constant = name.to_uppercase();
        text += &format!(
            "/// `{dialect}.{name}`.\npub const {constant}: &str = \"{dialect}.{name}\";\n"
        );
    }
    text + "}\n"
}

/// How many values an operand, a result or a region has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    One,
    Optional,
    Variadic,
}

/// A region of an op.
struct RegionOf {
    name: String,
    is_variadic: bool,
    /// Whether it has one block.
    is_block: bool,
}

struct Value<'a> {
    name: String,
    count: Count,
    constraint: Record<'a>,
}

struct AttributeOf {
    /// Its name in the IR.
    name: String,
    is_optional: bool,
    /// The type that an accessor returns, and the function that reads it from the attribute.
    read: Option<(&'static str, &'static str)>,
}

/// What attributes of these C++ types are read as.
fn reader(storage: &str) -> Option<(&'static str, &'static str)> {
    match storage.trim() {
        "::mlir::IntegerAttr" => Some(("i64", "attributes::integer")),
        "::mlir::StringAttr" => Some(("String", "attributes::string")),
        "::mlir::UnitAttr" => Some(("bool", "")),
        "::mlir::stencil::BoundsAttr" => Some(("Bounds", "attributes::bounds")),
        "::mlir::stencil::IndexAttr" => Some(("Vec<i64>", "attributes::index")),
        _ => None,
    }
}

struct Op<'a> {
    dialect: &'a str,
    mnemonic: String,
    class: String,
    operands: Vec<Value<'a>>,
    results: Vec<Value<'a>>,
    attributes: Vec<AttributeOf>,
    regions: Vec<RegionOf>,
    has_operand_segments: bool,
    /// Names of operands and results of one type, first the one that tells it.
    same_type: Vec<Vec<String>>,
    /// Whether everything that an op needs can be given to a function.
    has_builder: bool,
}

impl<'a> Op<'a> {
    fn read(record: Record<'a>, dialect: &'a str) -> Option<Self> {
        let of = record.def_value("opDialect").ok()?.str_value("name").ok()?;
        if of != dialect {
            return None;
        }
        let mnemonic = record.str_value("opName").ok()?.to_owned();
        let name = record.name().ok()?;
        let class = name.split_once('_').map_or(name, |(_, class)| class);
        let mut op = Self {
            dialect,
            mnemonic,
            class: class.split('_').map(capitalized).collect(),
            operands: Vec::new(),
            results: values(record, "results"),
            attributes: Vec::new(),
            regions: regions(record),
            has_operand_segments: false,
            same_type: Vec::new(),
            has_builder: record.dag_value("successors").is_ok_and(|dag| dag.num_args() == 0),
        };
        op.read_arguments(record);
        let traits = record.list_of_defs_value("traits").ok()?;
        traits.into_iter().for_each(|one| op.read_trait(one));
        Some(op)
    }

    fn read_arguments(&mut self, record: Record<'a>) {
        for value in values(record, "arguments") {
            let constraint = value.constraint;
            if constraint.subclass_of("TypeConstraint") {
                self.operands.push(value);
            } else if constraint.subclass_of("Attr") {
                let has_default =
                    constraint.optional_str_value("defaultValue").ok().flatten().is_some();
                let is_optional = constraint.bit_value("isOptional").unwrap_or(false);
                let is_optional = is_optional || has_default;
                let storage = constraint.optional_str_value("storageType").ok().flatten();
                let read = reader(storage.unwrap_or_default());
                self.attributes.push(AttributeOf { name: value.name, is_optional, read });
            } else {
                let default = constraint.optional_str_value("defaultValue").ok().flatten();
                self.has_builder &= default.is_some_and(|text| !text.is_empty());
            }
        }
    }

    fn read_trait(&mut self, one: Record<'a>) {
        if one.subclass_of("TraitList") {
            let inner = one.list_of_defs_value("traits").unwrap_or_default();
            return inner.into_iter().for_each(|one| self.read_trait(one));
        }
        match one.str_value("trait").unwrap_or_default() {
            "AttrSizedOperandSegments" => self.has_operand_segments = true,
            "AttrSizedResultSegments" => panic!("no op in use has segments of results"),
            "SameOperandsAndResultType" => {
                let all = self.operands.iter().chain(&self.results);
                self.same_type.push(all.map(|value| value.name.clone()).collect());
            }
            _ if one.subclass_of("AllTypesMatch") => {
                let names = one.list_of_strings_value("values").unwrap_or_default();
                self.same_type.push(names.into_iter().map(str::to_owned).collect());
            }
            _ => {}
        }
    }

    fn emit(&self) -> String {
        let (class, constant) = (&self.class, self.constant());
        let name = format!("{}.{}", self.dialect, self.mnemonic);
        let accessors = self.accessors();
        let builder = if self.has_builder { self.builder() } else { String::new() };
        format!(
            "/// `{name}`.\npub const {constant}: &str = \"{name}\";\n\
             view! {{\n/// A view of `{name}`.\n{class}, {constant} }}\n\
             impl<'c: 'a, 'a> {class}<'c, 'a> {{\n{accessors}}}\n{builder}"
        )
    }

    fn constant(&self) -> String {
        self.mnemonic.replace('.', "_").to_uppercase()
    }

    fn accessors(&self) -> String {
        let mut text = String::new();
        text += &accessors(&self.operands, "operand", self.has_operand_segments);
        text += &accessors(&self.results, "result", false);
        let name = format!("{}.{}", self.dialect, self.mnemonic);
        let is_by_hand = |it: &&AttributeOf| BY_HAND.contains(&(&*name, &*it.name));
        let generated = self.attributes.iter().filter(|it| !is_by_hand(it));
        text.extend(generated.map(AttributeOf::accessors));
        for (index, RegionOf { name, is_variadic, is_block }) in self.regions.iter().enumerate() {
            let get = accessor(name);
            let (of, body) = match (is_variadic, is_block) {
                (true, _) => ("Vec<RegionRef<'c, 'a>>", format!("regions_from(self.0, {index})")),
                (_, true) => ("BlockRef<'c, 'a>", format!("build::block_of(self.0, {index})")),
                _ => ("RegionRef<'c, 'a>", format!("self.0.region({index}).expect(REQUIRED)")),
            };
            text += &format!(
                "/// Region `{name}`.\n#[inline]\npub fn {get}(&self) -> {of} {{ {body} }}\n"
            );
        }
        text
    }

    fn builder(&self) -> String {
        let mut parameters = vec!["at: Inserter<'c, 'a>".to_owned()];
        let results = self.result_types(&mut parameters);
        let operands = self.given_operands(&mut parameters);
        let mut attributes = String::new();
        for AttributeOf { name, .. } in self.attributes.iter().filter(|it| !it.is_optional) {
            let parameter = parameter(name);
            parameters.push(format!("{parameter}: Attribute<'c>"));
            attributes += &format!("(\"{name}\", {parameter}), ");
        }
        if self.has_operand_segments {
            attributes += "(\"operandSegmentSizes\", segment_sizes(at, &sizes)), ";
        }
        let regions = self.given_regions(&mut parameters);
        let (name, class) = (function(&self.mnemonic), &self.class);
        let create = format!(
            "at.create({}, &operands, &[{attributes}], &results, {regions})",
            self.constant()
        );
        let (of, body) = match self.results.as_slice() {
            [one] if one.count == Count::One => {
                ("Value<'c, 'a>", format!("build::single({create})"))
            }
            _ => (&*format!("{class}<'c, 'a>"), format!("{class}({create})")),
        };
        format!(
            "/// Inserts `{}.{}`.\n#[inline]\npub fn {name}<'c: 'a, 'a>({}) -> {of} \
             {{\n{results}{operands}{body}\n}}\n",
            self.dialect,
            self.mnemonic,
            parameters.join(", ")
        )
    }

    /// A statement that makes the list `results`, with parameters for types that are not known.
    fn result_types(&self, parameters: &mut Vec<String>) -> String {
        let mut parts = Vec::new();
        for result in &self.results {
            let name = parameter(&format!("{}_type", snake(&result.name)));
            match (result.count, self.known_type(result)) {
                (Count::One, Some(known)) => parts.push(Part::One(known)),
                (Count::One, None) => {
                    parameters.push(format!("{name}: Type<'c>"));
                    parts.push(Part::One(name));
                }
                _ => {
                    parameters.push(format!("{name}: &[Type<'c>]"));
                    parts.push(Part::Slice(name));
                }
            }
        }
        list("results", "Type<'c>", parts)
    }

    /// The type of a result that its constraint or an operand tells.
    fn known_type(&self, result: &Value) -> Option<String> {
        let call = result.constraint.optional_str_value("builderCall").ok().flatten();
        let made = call.unwrap_or_default().strip_prefix("$_builder.get").unwrap_or_default();
        if made == "IndexType()" {
            return Some("Type::index(at.context())".to_owned());
        }
        let bits = made.strip_prefix("IntegerType(").and_then(|rest| rest.strip_suffix(')'));
        if let Some(bits) = bits.filter(|bits| bits.parse::<u32>().is_ok()) {
            return Some(format!("integer_type(at, {bits})"));
        }
        let same = self.same_type.iter().filter(|names| names.contains(&result.name));
        let is_one = |name: &&String| {
            self.operands.iter().any(|it| it.name == **name && it.count == Count::One)
        };
        let operand = same.flatten().find(is_one)?;
        Some(format!("{}.r#type()", parameter(operand)))
    }

    /// Statements that make the list `operands`, and the list `sizes` where the op has one.
    fn given_operands(&self, parameters: &mut Vec<String>) -> String {
        let (mut parts, mut sizes) = (Vec::new(), Vec::new());
        for operand in &self.operands {
            let name = parameter(&operand.name);
            let (of, part, size) = match operand.count {
                Count::One => ("Value<'c, 'a>", Part::One(name.clone()), "1".to_owned()),
                Count::Optional => {
                    let slice = format!("{name}.as_slice()");
                    ("Option<Value<'c, 'a>>", Part::Slice(slice), format!("{name}.iter().len()"))
                }
                Count::Variadic => {
                    ("&[Value<'c, 'a>]", Part::Slice(name.clone()), format!("{name}.len()"))
                }
            };
            parameters.push(format!("{name}: {of}"));
            parts.push(part);
            sizes.push(size);
        }
        let operands = list("operands", "Value<'c, 'a>", parts);
        match self.has_operand_segments {
            true => format!("{operands}let sizes = [{}];\n", sizes.join(", ")),
            false => operands,
        }
    }

    /// The expression for the list of regions.
    fn given_regions(&self, parameters: &mut Vec<String>) -> String {
        let mut list = Vec::new();
        for RegionOf { name, is_variadic, .. } in &self.regions {
            let name = parameter(name);
            if *is_variadic {
                parameters.push(format!("{name}: Vec<Region<'c>>"));
                return match list.is_empty() {
                    true => name,
                    false => {
                        format!("vec![{}].into_iter().chain({name}).collect()", list.join(", "))
                    }
                };
            }
            parameters.push(format!("{name}: Region<'c>"));
            list.push(name);
        }
        format!("vec![{}]", list.join(", "))
    }
}

impl AttributeOf {
    fn accessors(&self) -> String {
        let Self { name, is_optional, read } = self;
        let attribute = format!("self.0.attribute(\"{name}\")");
        let found = format!("{attribute}.ok()");
        let (of, body) = match (*read, is_optional) {
            (Some(("bool", _)), _) => {
                ("bool".to_owned(), format!("self.0.has_attribute(\"{name}\")"))
            }
            (Some((of, read)), true) => {
                (format!("Option<{of}>"), format!("{found}.and_then({read})"))
            }
            (Some((of, read)), false) => {
                (of.to_owned(), format!("{found}.and_then({read}).expect(REQUIRED)"))
            }
            (None, true) => ("Option<Attribute<'c>>".to_owned(), found),
            (None, false) => ("Attribute<'c>".to_owned(), format!("{attribute}.expect(REQUIRED)")),
        };
        let (get, set) = (accessor(name), format!("set_{}", snake(name)));
        format!(
            "/// Attribute `{name}`.\n#[inline]\npub fn {get}(&self) -> {of} {{ {body} }}\n\
             /// Sets attribute `{name}`.\n#[inline]\npub fn {set}(&self, value: Attribute<'c>) \
             {{ build::set_attribute(self.0, \"{name}\", value) }}\n"
        )
    }
}

/// An expression of one value, or of a slice of them.
enum Part {
    One(String),
    Slice(String),
}

/// A statement that makes a list of its parts.
fn list(name: &str, of: &str, parts: Vec<Part>) -> String {
    let is_fixed = parts.iter().all(|part| matches!(part, Part::One(_)));
    let one = |part| match part {
        Part::One(one) if is_fixed => one,
        Part::One(one) => format!("&[{one}]"),
        Part::Slice(slice) => slice,
    };
    let count = parts.len();
    let text = parts.into_iter().map(one).collect::<Vec<_>>().join(", ");
    match is_fixed {
        true => format!("let {name}: [{of}; {count}] = [{text}];\n"),
        false => {
            format!("let slices: [&[{of}]; {count}] = [{text}];\nlet {name} = slices.concat();\n")
        }
    }
}

/// Accessors of operands or results, which follow each other in one list.
fn accessors(values: &[Value], kind: &str, has_segments: bool) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        let name = accessor(&value.name);
        // Without sizes of segments at most one of them is no single value.
        let is_after = values[..index].iter().any(|before| before.count != Count::One);
        let behind = values.len() - index - 1;
        let (of, body) = match (value.count, has_segments) {
            (Count::One, true) => ("Value<'c, 'a>", format!("{kind}_segment(self.0, {index})[0]")),
            (Count::Optional, true) => (
                "Option<Value<'c, 'a>>",
                format!("{kind}_segment(self.0, {index}).first().copied()"),
            ),
            (Count::Variadic, true) => {
                ("Vec<Value<'c, 'a>>", format!("{kind}_segment(self.0, {index})"))
            }
            (Count::One, false) if is_after => {
                ("Value<'c, 'a>", format!("{kind}(self.0, self.0.{kind}_count() - {})", behind + 1))
            }
            (Count::One, false) => ("Value<'c, 'a>", format!("{kind}(self.0, {index})")),
            (Count::Optional, false) => (
                "Option<Value<'c, 'a>>",
                format!("{kind}s_between(self.0, {index}, {behind}).first().copied()"),
            ),
            (Count::Variadic, false) => {
                ("Vec<Value<'c, 'a>>", format!("{kind}s_between(self.0, {index}, {behind})"))
            }
        };
        let title = if kind == "operand" { "Operand" } else { "Result" };
        text += &format!(
            "/// {title} `{}`.\n#[inline]\npub fn {name}(&self) -> {of} {{ {body} }}\n",
            value.name
        );
    }
    text
}

/// The named entries of a dag, with the constraint of each.
fn values<'a>(record: Record<'a>, field: &str) -> Vec<Value<'a>> {
    let Ok(dag) = record.dag_value(field) else { return Vec::new() };
    let entry = |(name, init): (Option<&str>, TypedInit<'a>)| {
        let given = Record::try_from(init).ok()?;
        let is_wrapped = given.subclass_of("OpVariable");
        let constraint = if is_wrapped { given.def_value("constraint").ok()? } else { given };
        Some((name.map(str::to_owned), constraint))
    };
    let entries = dag.args().filter_map(entry).enumerate();
    entries
        .map(|(index, (name, constraint))| {
            let count = match constraint {
                it if it.subclass_of("Optional") => Count::Optional,
                it if it.subclass_of("Variadic") => Count::Variadic,
                _ => Count::One,
            };
            let name = name.unwrap_or_else(|| format!("unnamed_{index}"));
            Value { name, count, constraint }
        })
        .collect()
}

fn regions(record: Record) -> Vec<RegionOf> {
    let regions = values(record, "regions").into_iter();
    regions
        .map(|region| RegionOf {
            is_variadic: region.constraint.subclass_of("VariadicRegion"),
            is_block: region.constraint.subclass_of("SizedRegion"),
            name: region.name,
        })
        .collect()
}
