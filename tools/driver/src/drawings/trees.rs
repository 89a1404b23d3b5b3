//! The expressions of straight-line code: what is stored at the top, what is read below it, each
//! operation in the colour of its place in the order.
//!
//! A value that several expressions read is drawn once. A thick line leads to the operand whose
//! register an operation takes over. Constants are part of the labels.

use super::{
    layout::Layout,
    operations::{Operations, sources},
};
use stencil_code::{Dag, ItemId, Kind};

/// What an item is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// A node with this label.
    Node(String),
    /// A number, shown in the labels of its readers.
    Constant(String),
}

type Colour = (u8, u8, u8);

/// From the first to the last operation: lighter with every step, also for who sees no hues.
const SCALE: [Colour; 5] =
    [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)];

/// Sizes, in pixels.
const MARGIN: f64 = 20.0;
const TOP: f64 = 110.0;
const LETTER: f64 = 6.8;
const NODE_HEIGHT: f64 = 32.0;
const LEVEL_HEIGHT: f64 = 62.0;
const GAP: f64 = 10.0;
const LEGEND_WIDTH: f64 = 240.0;
/// Room for the title.
const WIDTH_LEAST: f64 = 760.0;

/// A node of the drawing.
struct Node {
    item: ItemId,
    label: String,
    /// Place in the order from 1, and registers live after it; none for inputs.
    operation: Option<(usize, u32)>,
}

/// Draws code whose items have these names.
///
/// # Panics
/// If there is not one name for each item.
pub fn draw(title: &str, code: &Dag, names: &[Name]) -> String {
    assert_eq!(code.items().len(), names.len(), "every item has a name");
    let operations = Operations::of(code);
    let (nodes, read) = nodes(code, names, &operations);
    let layout = Layout::of(&read);
    let longest = nodes.iter().map(|node| node.label.chars().count()).max().unwrap_or(0);
    let node_width = (longest as f64 * LETTER + 14.0).max(48.0);
    let drawing = Drawing { layout: &layout, node_width };
    let width = (layout.width() + 1.0) * (node_width + GAP) + 2.0 * MARGIN;
    let width = width.max(WIDTH_LEAST);
    let height = TOP + layout.levels() as f64 * LEVEL_HEIGHT + MARGIN;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    svg += &legend(title, &operations);
    svg += "<g stroke=\"#777777\">\n";
    for (parent, operands) in read.iter().enumerate() {
        let accumulator = accumulator(code, nodes[parent].item);
        for operand in operands {
            let is_thick = accumulator == Some(nodes[*operand].item);
            svg += &drawing.line(parent, *operand, if is_thick { 3 } else { 1 });
        }
    }
    svg += "</g>\n<g text-anchor=\"middle\">\n";
    for (at, node) in nodes.iter().enumerate() {
        svg += &drawing.node(at, node, operations.all.len());
    }
    svg + "</g>\n</svg>\n"
}

/// The nodes in the order of the code, and which each reads.
fn nodes(code: &Dag, names: &[Name], operations: &Operations) -> (Vec<Node>, Vec<Vec<usize>>) {
    let mut of_item = vec![None; code.items().len()];
    for (place, operation) in operations.all.iter().enumerate() {
        of_item[operation.item.index()] = Some((place + 1, operation.live));
    }
    let is_given = |item: usize| {
        let it = &code.items()[item];
        it.kind == Kind::Input && it.registers > 0 && matches!(names[item], Name::Node(_))
    };
    let mut is_drawn: Vec<bool> =
        (0..names.len()).map(|item| of_item[item].is_some() || is_given(item)).collect();
    let mut sources = sources(code, &is_drawn);
    // What is given and goes nowhere is no part of an expression.
    let mut is_read = vec![false; names.len()];
    for read in (0..names.len()).filter(|item| is_drawn[*item]).flat_map(|item| &sources[item]) {
        is_read[read.index()] = true;
    }
    for item in 0..names.len() {
        is_drawn[item] &= of_item[item].is_some() || is_read[item];
    }
    let mut node_of = vec![0; names.len()];
    let (mut nodes, mut read) = (Vec::new(), Vec::new());
    for item in (0..names.len()).filter(|item| is_drawn[*item]) {
        node_of[item] = nodes.len();
        let from = std::mem::take(&mut sources[item]);
        read.push(from.into_iter().map(|source| node_of[source.index()]).collect());
        let label = label(code, names, item);
        nodes.push(Node { item: ItemId::new(item), label, operation: of_item[item] });
    }
    (nodes, read)
}

/// The name of an item, with the constants that it reads.
fn label(code: &Dag, names: &[Name], item: usize) -> String {
    let mut label = match &names[item] {
        Name::Node(name) | Name::Constant(name) => name.clone(),
    };
    for operand in &code.items()[item].operands {
        if let Name::Constant(number) = &names[operand.index()] {
            label += " ";
            label += number;
        }
    }
    label
}

/// The operand whose register an operation takes over.
fn accumulator(code: &Dag, item: ItemId) -> Option<ItemId> {
    let item = &code.items()[item.index()];
    match item.kind {
        Kind::Accumulate(place) => Some(item.operands[place]),
        _ => None,
    }
}

/// The title, what the colours mean, and how many registers the order needs.
fn legend(title: &str, operations: &Operations) -> String {
    let count = operations.all.len();
    let stops: String = SCALE
        .iter()
        .enumerate()
        .map(|(place, colour)| {
            let percent = place * 100 / (SCALE.len() - 1);
            format!("<stop offset=\"{percent}%\" stop-color=\"{}\"/>", hex(*colour))
        })
        .collect();
    let (left, bar, words) = (MARGIN, TOP - 54.0, TOP - 44.0);
    let right = left + LEGEND_WIDTH + 8.0;
    format!(
        "<text x=\"{left}\" y=\"30\" font-size=\"16\">{}</text>\n\
         <defs><linearGradient id=\"order\">{stops}</linearGradient></defs>\n\
         <rect x=\"{left}\" y=\"{bar}\" width=\"{LEGEND_WIDTH}\" height=\"12\" \
         fill=\"url(#order)\"/>\n\
         <text x=\"{right}\" y=\"{words}\">place in the order, 1 to {count}; \
         MAXLIVE {} registers of 32 bits</text>\n\
         <text x=\"{left}\" y=\"{}\">thick: the operand whose register the result takes; \
         white: there from the start</text>\n",
        escaped(title),
        operations.max_live,
        TOP - 22.0,
    )
}

/// Where nodes are on the page.
struct Drawing<'a> {
    layout: &'a Layout,
    node_width: f64,
}

impl Drawing<'_> {
    /// The middle of a node's upper side.
    fn top(&self, node: usize) -> (f64, f64) {
        let x = MARGIN + (self.layout.place[node] + 0.5) * (self.node_width + GAP);
        (x, TOP + self.layout.level[node] as f64 * LEVEL_HEIGHT)
    }

    fn line(&self, parent: usize, operand: usize, width: u32) -> String {
        let ((x1, y1), (x2, y2)) = (self.top(parent), self.top(operand));
        let y1 = y1 + NODE_HEIGHT;
        format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
             stroke-width=\"{width}\"/>\n"
        )
    }

    fn node(&self, at: usize, node: &Node, count: usize) -> String {
        let (middle, top) = self.top(at);
        let (left, width) = (middle - self.node_width / 2.0, self.node_width);
        let label = escaped(&node.label);
        let (class, fill, ink, place, tip) = match node.operation {
            Some((place, live)) => {
                let colour = colour(place, count);
                let tip = format!("{place} of {count}: {label}; {live} registers live after it");
                ("operation", hex(colour), ink(colour), place.to_string(), tip)
            }
            None => {
                let tip = format!("{label}; there from the start");
                ("given", "#ffffff".to_owned(), "black", String::new(), tip)
            }
        };
        let (first, second) = (top + 13.0, top + 27.0);
        format!(
            "<g class=\"{class}\" fill=\"{ink}\"><title>{tip}</title><rect x=\"{left:.1}\" \
             y=\"{top:.1}\" width=\"{width:.1}\" height=\"{NODE_HEIGHT}\" rx=\"5\" fill=\"{fill}\" \
             stroke=\"#333333\"/><text x=\"{middle:.1}\" y=\"{first:.1}\">{label}</text>\
             <text x=\"{middle:.1}\" y=\"{second:.1}\" font-size=\"10\">{place}</text></g>\n"
        )
    }
}

/// The colour of a place in the order, from 1.
fn colour(place: usize, count: usize) -> Colour {
    let last = SCALE.len() - 1;
    let along = (place - 1) as f64 / (count.max(2) - 1) as f64 * last as f64;
    let from = (along as usize).min(last - 1);
    let mix = |one: u8, other: u8| {
        let (one, other) = (f64::from(one), f64::from(other));
        (one + (other - one) * (along - from as f64)).round() as u8
    };
    let (one, other) = (SCALE[from], SCALE[from + 1]);
    (mix(one.0, other.0), mix(one.1, other.1), mix(one.2, other.2))
}

/// What can be read on a colour.
fn ink((red, green, blue): Colour) -> &'static str {
    let light = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    if light > 128_000 { "black" } else { "white" }
}

fn hex((red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text that means itself in XML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{super::operations::tests::multiply_add, *};

    fn drawn(title: &str) -> String {
        let mut names = vec![Name::Node("?".to_owned()); 8];
        names[1] = Name::Node("x<1>".to_owned());
        names[3] = Name::Constant("2".to_owned());
        names[4] = Name::Node("in[+1]".to_owned());
        names[5] = Name::Node("fma".to_owned());
        names[7] = Name::Node("store".to_owned());
        draw(title, &multiply_add(), &names)
    }

    #[test]
    fn every_operation_is_a_node_and_every_operand_a_line() {
        let svg = drawn("a title");
        assert_eq!(svg.matches("class=\"operation\"").count(), 3);
        assert_eq!(svg.matches("class=\"given\"").count(), 1);
        // The store reads the sum, which reads the load and, in its own register, what is given.
        assert_eq!(svg.matches("<line ").count(), 3);
        assert_eq!(svg.matches("stroke-width=\"3\"").count(), 1);
        assert!(svg.contains(">fma 2</text>") && svg.contains(">in[+1]</text>"), "{svg}");
        assert!(svg.contains("<title>1 of 3: in[+1]; 4 registers live after it</title>"));
        assert!(svg.contains("MAXLIVE 4 registers"), "{svg}");
    }

    #[test]
    fn text_is_text() {
        let svg = drawn("a < b & \"c\"");
        assert!(svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"), "{svg}");
        assert!(svg.contains("x&lt;1&gt;") && !svg.contains("x<1>"), "{svg}");
        assert_eq!(svg, drawn("a < b & \"c\""));
    }

    #[test]
    fn colours_go_from_one_end_of_the_scale_to_the_other() {
        assert_eq!([colour(1, 9), colour(5, 9), colour(9, 9)], [SCALE[0], SCALE[2], SCALE[4]]);
        assert_eq!(colour(1, 1), SCALE[0]);
        assert_eq!([ink(SCALE[0]), ink(SCALE[4])], ["white", "black"]);
    }
}
