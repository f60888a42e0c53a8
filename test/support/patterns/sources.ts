import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../../..");

/** A regular expression of the sources. */
export interface SourcePattern {
  /** `src/model/contact.ts:7`. */
  place: string;
  source: string;
  flags: string;
}

/** Every literal and every `RegExp(…)` below a folder. @throws for one whose text cannot be told from its file. */
export function patternsBelow(folder: string): SourcePattern[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .flatMap((entry) => patternsOf(relative(ROOT, join(entry.parentPath, entry.name))));
}

function patternsOf(path: string): SourcePattern[] {
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), "utf8"), ts.ScriptTarget.Latest, true);
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    const place = `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      found.push({ place, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
      const [source, flags] = (node.arguments ?? []).map((argument) => textOf(argument, file, place));
      // A copy of another pattern is looked at where that stands.
      if (source !== undefined) found.push({ place, source, flags: flags ?? "" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What a constant text is made of: literals, templates, joined lists and other constants of its file. */
function textOf(node: ts.Expression, file: ts.SourceFile, place: string): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ expression, literal }) => textOf(expression, file, place) + literal.text).join("");
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === "join") {
    const list = node.expression.expression;
    const [joint] = node.arguments;
    if (ts.isArrayLiteralExpression(list) && joint !== undefined)
      return list.elements.map((each) => textOf(each, file, place)).join(textOf(joint, file, place));
  }
  if (ts.isIdentifier(node)) {
    const value = constantOf(node.text, file);
    if (value !== undefined && (ts.isRegularExpressionLiteral(value) || ts.isNewExpression(value))) return undefined;
    if (value !== undefined) return textOf(value, file, place);
  }
  throw new Error(`${place}: a pattern that is put together from ${node.getText()}, which nobody can prove anything of`);
}

function constantOf(name: string, file: ts.SourceFile): ts.Expression | undefined {
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name: declared, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(declared) && declared.text === name) return initializer;
    }
  }
  return undefined;
}
