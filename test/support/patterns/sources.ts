import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../../..");

/** A regular expression in the sources. */
export interface SourcePattern {
  /** The file and line, such as `src/model/contact.ts:7`. */
  place: string;
  source: string;
  flags: string;
}

/**
 * Every regular expression literal and every `RegExp(…)` in a folder and below. @throws for one whose text does not
 * follow from its file.
 */
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
      // A copy of another pattern is left out, because the other pattern is examined.
      if (source !== undefined) found.push({ place, source, flags: flags ?? "" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The constant text of an expression: of literals, templates, joined lists and other constants, in the same file or imported. */
function textOf(node: ts.Expression, file: ts.SourceFile, place: string): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ expression, literal }) => textOf(expression, file, place) + literal.text).join("");
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === "join") {
    const list = listOf(node.expression.expression, file, place);
    const [joint] = node.arguments;
    if (list !== undefined && joint !== undefined) return list.join(textOf(joint, file, place));
  }
  if (ts.isIdentifier(node)) {
    const value = constantOf(node.text, file);
    if (value !== undefined && (ts.isRegularExpressionLiteral(value) || ts.isNewExpression(value))) return undefined;
    if (value !== undefined) return textOf(value, file, place);
    const home = importedFrom(node.text, file);
    if (home !== undefined) return textOf(node, home, place);
  }
  throw new Error(`${place}: a pattern that is put together from ${node.getText()}, which nobody can prove anything of`);
}

/** The elements of a literal list, or the names in a literal object, also after sorting or reversing. */
function listOf(node: ts.Expression, file: ts.SourceFile, place: string): (string | undefined)[] | undefined {
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((each) => textOf(each, file, place));
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: subject, name } = node.expression;
  if (name.text === "sort") return listOf(subject, file, place)?.toSorted();
  if (name.text === "reverse") return listOf(subject, file, place)?.toReversed();
  const [named] = node.arguments;
  const value = name.text === "keys" && named !== undefined && ts.isIdentifier(named) ? constantOf(named.text, file) : undefined;
  if (value === undefined || !ts.isObjectLiteralExpression(value)) return undefined;
  return value.properties.map((property) => (property.name as ts.Identifier | ts.StringLiteral).text);
}

/** The file of the project from which a name is imported. */
function importedFrom(name: string, file: ts.SourceFile): ts.SourceFile | undefined {
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const names = statement.importClause?.namedBindings;
    if (names === undefined || !ts.isNamedImports(names) || !names.elements.some((each) => each.name.text === name)) continue;
    const path = join(dirname(file.fileName), statement.moduleSpecifier.text);
    return ts.createSourceFile(path, readFileSync(join(ROOT, path), "utf8"), ts.ScriptTarget.Latest, true);
  }
  return undefined;
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
