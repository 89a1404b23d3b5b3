// Search among the headings of all pages, and colours of code. Without it the site is complete.
"use strict";

const WORDS = {
  python: "and as assert break class continue def del elif else except finally for from global if " +
    "import in is lambda None not or pass raise return True False try while with yield",
  stencilgen: "parameter iterator copyin copyout stencil double float int for swap iterate",
  mlir: "func return to step iter_args attributes else loc module",
  sh: "if then else fi for do done export cd",
};
const NOTES = {python: "#.*", pycon: "#.*", sh: "#.*", text: "(?!)"};

function paint(code) {
  const language = (code.className.match(/language-(\w+)/) || [])[1];
  if (!language || language === "text") return;
  const note = NOTES[language] || "//.*";
  const words = WORDS[language === "pycon" ? "python" : language];
  const word = words ? `\\b(?:${words.replaceAll(" ", "|")})\\b` : "(?!)";
  const parts = new RegExp(
    `(?<note>${note})|(?<string>"""[^]*?"""|"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*')|` +
    `(?<word>${word})|(?<number>\\b\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?\\b)`, "g");
  const escape = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
  const source = code.textContent;
  let painted = "", end = 0;
  for (const match of source.matchAll(parts)) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    painted += escape(source.slice(end, match.index)) +
      `<span class="${kind}">${escape(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  code.innerHTML = painted + escape(source.slice(end));
}

function find(asked) {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ([heading, title]) => {
    const both = `${heading} ${title}`.toLowerCase();
    if (!words.every((word) => both.includes(word))) return 0;
    const text = heading.toLowerCase();
    return (words.every((word) => text.includes(word)) ? 2 : 1) + (text.startsWith(words[0]) ? 1 : 0);
  };
  return SEARCH_INDEX.map((entry) => [rank(entry), entry]).filter(([found]) => found > 0)
    .sort(([one], [two]) => two - one).slice(0, 12).map(([, entry]) => entry);
}

document.querySelectorAll("pre code").forEach(paint);
const root = document.body.dataset.root;
const search = document.getElementById("search");
const list = document.getElementById("found");
search.addEventListener("input", () => {
  list.replaceChildren(...(search.value.trim() ? find(search.value) : []).map(([heading, title, link]) => {
    const item = document.createElement("li"), anchor = document.createElement("a");
    anchor.href = root + link;
    anchor.append(heading);
    if (title !== heading) {
      const of = document.createElement("small");
      of.append(title);
      anchor.append(of);
    }
    item.append(anchor);
    return item;
  }));
});
search.addEventListener("keydown", (event) => {
  const first = list.querySelector("a");
  if (event.key === "Enter" && first) first.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
