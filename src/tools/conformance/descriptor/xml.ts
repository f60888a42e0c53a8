import { SaxesParser, type SaxesTagPlain } from "saxes";

/** An element. `name` is spelled as in the document, without the prefix. */
export interface Element {
  name: string;
  prefix: string;
  attributes: Map<string, string>;
  children: Element[];
  /** The character data directly inside the element, trimmed. */
  text: string;
}

export type ReadXml = { kind: "root"; root: Element } | { kind: "broken"; problem: string };

/** Far deeper than any descriptor. Elements are visited recursively, so their depth needs a limit. */
const MAX_DEPTH = 64;

/** The entities of XML. They replace the parser's own table, in which `&constructor;` would find an inherited member of the object. */
const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Reads an XML document: elements, attributes, text, CDATA and the five entities. Skips comments. Refuses malformed XML, more than
 * MAX_DEPTH levels, and document types, because no descriptor has one.
 */
export function readXml(source: string): ReadXml {
  const reader = new Reader();
  try {
    return reader.read(source);
  } catch (error) {
    if (error instanceof BrokenXml) return { kind: "broken", problem: error.message };
    throw error;
  }
}

class BrokenXml extends Error {}

class Reader {
  readonly #parser = new SaxesParser({ position: true, xmlns: false });
  readonly #open: Element[] = [];
  #root: Element | undefined;

  constructor() {
    const parser = this.#parser;
    parser.ENTITIES = Object.assign(Object.create(null), ENTITIES);
    parser.on("error", (error) => this.#refuse(problemIn(error)));
    parser.on("doctype", () => this.#refuse("a document type is not read"));
    parser.on("opentag", (tag) => this.#begin(tag));
    parser.on("closetag", () => this.#open.pop());
    parser.on("text", (text) => this.#append(text));
    parser.on("cdata", (text) => this.#append(text));
  }

  read(source: string): ReadXml {
    this.#parser.write(source).close();
    if (this.#root === undefined) throw new BrokenXml("there is no element at all");
    trimTexts(this.#root);
    return { kind: "root", root: this.#root };
  }

  #begin(tag: SaxesTagPlain): void {
    if (this.#open.length >= MAX_DEPTH) this.#refuse(`nested deeper than ${MAX_DEPTH} elements`);
    const element = elementOf(tag);
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    this.#open.push(element);
  }

  #append(text: string): void {
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.text += text;
  }

  #refuse(problem: string): never {
    throw new BrokenXml(`line ${this.#parser.line}: ${problem}`);
  }
}

function elementOf({ name: written, attributes }: SaxesTagPlain): Element {
  const colon = written.indexOf(":");
  return {
    name: written.slice(colon + 1),
    prefix: colon < 0 ? "" : written.slice(0, colon),
    attributes: new Map(Object.entries(attributes)),
    children: [],
    text: "",
  };
}

function problemIn({ message }: Error): string {
  return message.replace(/^\d+:\d+: /, "");
}

function trimTexts(element: Element): void {
  element.text = element.text.trim();
  for (const child of element.children) trimTexts(child);
}
