import { refused } from "../../call/refusal.ts";

/** The operators of a filter (json-api 6.2). Only the stock report has `!~`. */
export type Operator = "=" | "!=" | ">" | "<" | ">=" | "<=" | "~" | "~=" | "=~" | "!~";

/** One condition as written. `key` may name a field that does not exist. */
export interface Condition {
  readonly key: string;
  readonly operator: Operator;
  readonly constant: string;
}

/** Longer operators come first: `name=~x` means "ends with x", not "equals ~x". */
const OPERATORS: readonly Operator[] = ["=~", "~=", "!=", "!~", ">=", "<=", "=", ">", "<", "~"];
const FIRST_OPERATOR = /[=!<>~]/;

/** Reads `field operator constant;…`. Throws 1034 for an invalid part. An empty filter has no conditions. */
export function readConditions(filter: string): readonly Condition[] {
  const parts = splitFilter(filter);
  // A filter built in a loop often ends with its separator, so an empty last part is dropped.
  if (parts.at(-1) === "") parts.pop();
  return parts.map(readCondition);
}

/** Returns the condition as written, for error texts. */
export function conditionText({ key, operator, constant }: Condition): string {
  return `${key}${operator}${constant}`;
}

/** Splits the filter at semicolons. Only `\;` is an escape; any other backslash is ordinary (json-api D7). */
function splitFilter(filter: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < filter.length; at += 1) {
    if (filter[at] === "\\" && filter[at + 1] === ";") {
      part += ";";
      at += 1;
    } else if (filter[at] === ";") {
      parts.push(part);
      part = "";
    } else part += filter[at];
  }
  return [...parts, part];
}

function readCondition(part: string): Condition {
  const at = part.search(FIRST_OPERATOR);
  const operator = at < 1 ? undefined : OPERATORS.find((each) => part.startsWith(each, at));
  if (operator === undefined) throw refused(1034, undefined, part);
  return { key: part.slice(0, at), operator, constant: part.slice(at + operator.length) };
}
