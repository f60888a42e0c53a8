import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import ts from "typescript";

// This module is loaded before a program. It replaces the words of every text for people in the fiscal contract and the journal
// command. Codes and names have no blank and no Russian letter, and stay as they are.

const WORDED = /\/src\/(contracts\/fiscal|cli\/journal)\/.*\.ts$/;

registerHooks({
  load(url, context, nextLoad) {
    if (!WORDED.test(url)) return nextLoad(url, context);
    return { format: "module-typescript", source: reworded(readFileSync(fileURLToPath(url), "utf8")), shortCircuit: true };
  },
});

function reworded(source: string): string {
  const file = ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true);
  const places: [start: number, end: number][] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && isText(node.text)) places.push([node.getStart(file), node.end]);
    else ts.forEachChild(node, visit);
  };
  visit(file);
  return places.reduceRight((text, [start, end]) => text.slice(0, start) + otherWords(text.slice(start, end)) + text.slice(end), source);
}

function isText(text: string): boolean {
  return /[А-Яа-яЁё]/.test(text) || /[a-z] |[a-z]:? [a-z]| [a-z]/i.test(text);
}

/** Only letters are changed. Escapes stay as they are. */
function otherWords(literal: string): string {
  return literal.replace(/\\u\{[^}]*\}|\\u.{4}|\\x.{2}|\\.|\p{L}/gu, (part) => (part.startsWith("\\") ? part : "ъ"));
}
