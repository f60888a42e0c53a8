/** An element of a document. Names are as written but for their prefix. */
export interface Element {
  name: string;
  prefix: string;
  attributes: Map<string, string>;
  children: Element[];
  /** Character data directly inside, without the white space round it. */
  text: string;
}

export type ReadXml = { kind: "root"; root: Element } | { kind: "broken"; problem: string };

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);
const NAME = "[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?";
const TOKEN = new RegExp(
  [
    "<!--(?:(?!--)[^])*-->",
    "<!\\[CDATA\\[(?<cdata>[^]*?)\\]\\]>",
    "<\\?[^]*?\\?>",
    `</(?<end>${NAME})\\s*>`,
    `<(?<start>${NAME})(?<attributes>(?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<empty>/?)>`,
    "(?<text>[^<]+)",
  ].join("|"),
  "y",
);
const ATTRIBUTE = new RegExp(`(?<![\\w.:-])(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "g");

/** Deeper than any descriptor by far; its elements are walked by calls inside of calls. */
const MAX_DEPTH = 64;

/**
 * Reads an XML document without a document type: elements, attributes, text, comments, CDATA and the five
 * entities. Anything else is broken, and so is what a strict reader would refuse: tags that do not match,
 * an attribute given twice, text outside of the root.
 */
export function readXml(source: string): ReadXml {
  const open: Element[] = [];
  let root: Element | undefined;
  const token = new RegExp(TOKEN);
  for (let at = source.startsWith("\ufeff") ? 1 : 0; at < source.length; at = token.lastIndex) {
    token.lastIndex = at;
    const groups = token.exec(source)?.groups;
    if (groups === undefined) return brokenAt(source, at, "is not well-formed XML");
    const { cdata, end, start, attributes = "", empty, text } = groups;
    const parent = open.at(-1);
    if (cdata !== undefined || text !== undefined) {
      const words = cdata ?? decode(text ?? "");
      if (words === undefined) return brokenAt(source, at, "holds an unknown entity or a lone &");
      if (parent !== undefined) parent.text += words;
      else if (words.trim() !== "") return brokenAt(source, at, "is text outside of the root element");
    } else if (end !== undefined) {
      if (parent === undefined || qualified(parent) !== end) return brokenAt(source, at, `ends ${end}, which is not what is open`);
      open.pop();
    } else if (start !== undefined) {
      if (parent === undefined && root !== undefined) return brokenAt(source, at, "is a second root element");
      if (open.length >= MAX_DEPTH) return brokenAt(source, at, `is nested deeper than ${MAX_DEPTH} elements`);
      const element = elementOf(start, attributes);
      if (element === undefined) return brokenAt(source, at, `has an attribute of ${start} that is given twice or cannot be read`);
      parent?.children.push(element);
      root ??= element;
      if (empty === "") open.push(element);
    }
  }
  const unfinished = open.at(-1);
  if (unfinished !== undefined) return { kind: "broken", problem: `<${qualified(unfinished)}> is never closed` };
  if (root === undefined) return { kind: "broken", problem: "there is no element at all" };
  trimTexts(root);
  return { kind: "root", root };
}

function elementOf(start: string, written: string): Element | undefined {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of written.matchAll(ATTRIBUTE)) {
    const value = decode(double ?? single ?? "");
    if (attributes.has(name) || value === undefined) return undefined;
    attributes.set(name, value);
  }
  const [prefix, name] = start.includes(":") ? start.split(":") : ["", start];
  return { name: name ?? "", prefix: prefix ?? "", attributes, children: [], text: "" };
}

function decode(text: string): string | undefined {
  let known = true;
  const decoded = text.replace(/&(?:#(\d+);|#x([0-9a-fA-F]+);|(\w+);)?/g, (_, decimal?: string, hex?: string, name?: string) => {
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? "", 16);
    if (code >= 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    const char = name === undefined ? undefined : ENTITIES.get(name);
    if (char === undefined) known = false;
    return char ?? "";
  });
  return known ? decoded : undefined;
}

function qualified({ prefix, name }: Element): string {
  return prefix === "" ? name : `${prefix}:${name}`;
}

function trimTexts(element: Element): void {
  element.text = element.text.trim();
  for (const child of element.children) trimTexts(child);
}

function brokenAt(source: string, at: number, problem: string): ReadXml {
  const line = source.slice(0, at).split("\n").length;
  return { kind: "broken", problem: `line ${line} ${problem}: ${source.slice(at, at + 40).trim()}` };
}
