import { formatDecimal, parseDecimal } from "../../kernel/decimal.ts";
import { PlatformFailure } from "../api/failure.ts";
import type { Fields, FlagsOf, ReadValue, With } from "../entities/field.ts";
import type { Nested, Ref } from "../entities/meta.ts";
import { hrefOf } from "../reference.ts";
import { instantOfMoment } from "../time.ts";

/** A constant of a condition. For a field with an object: the object or its reference. */
type Constant<Value> =
  Value extends Nested<unknown> ? never : Value extends Ref<infer Type> ? Ref<Type> : Value extends readonly (infer Each)[] ? Each : Value;

/** One value, or several alternatives. Null means "no value". */
type Wanted<Value> = Value | null | readonly (Value | null)[];

interface Equality<Value> {
  readonly is?: Wanted<Value>;
  /** With several values: the field must match none of them. */
  readonly isNot?: Wanted<Value>;
}

/** A range. The platform refuses a range together with `is` (json-api 6.2, rule 4). */
interface Range<Value> {
  readonly is?: never;
  readonly isNot?: Wanted<Value>;
  readonly above?: Value;
  readonly below?: Value;
  readonly atLeast?: Value;
  readonly atMost?: Value;
}

/** Parts of a text, case-insensitive. All parts must match. */
interface Parts<Value> extends Equality<Value> {
  readonly contains?: string | readonly string[];
  readonly startsWith?: string;
  readonly endsWith?: string;
}

type Condition<Value, Flags> =
  | Wanted<Value>
  | Equality<Value>
  | ("C" extends Flags ? Range<Value> : never)
  | ("T" extends Flags ? Parts<Value> : never);

/** Names of the fields that lists can be filtered by: the flags E, C and T (field.ts). */
type Filterable<F extends Fields> = With<F, "E"> | With<F, "C"> | With<F, "T">;

/** A condition on an additional field (json-api 6.2). The field's type decides which operators are allowed. */
interface AttributeCondition {
  readonly field: { readonly meta: { readonly href: string }; readonly type?: string | null };
  readonly where:
    | Wanted<string | number | boolean | Ref>
    | Equality<string | number | boolean | Ref>
    | Range<number | string>
    | Parts<string>;
}

/** All conditions must match. */
export type Filter<F extends Fields, Keys extends Fields> = {
  readonly [Name in Filterable<F>]?: Condition<Constant<ReadValue<F[Name]>>, FlagsOf<F[Name]>>;
} & {
  readonly [Name in keyof Keys | "id"]?: Name extends keyof Keys
    ? Condition<Constant<ReadValue<Keys[Name]>>, FlagsOf<Keys[Name]>>
    : Condition<string, "E">;
} & ([With<F, "A">] extends [never] ? unknown : { readonly attributes?: readonly AttributeCondition[] });

type Operator = "=" | "!=" | ">" | "<" | ">=" | "<=" | "~" | "~=" | "=~";

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ["is", "="],
  ["isNot", "!="],
  ["above", ">"],
  ["below", "<"],
  ["atLeast", ">="],
  ["atMost", "<="],
  ["contains", "~"],
  ["startsWith", "~="],
  ["endsWith", "=~"],
]);
const COMPARISONS = ["above", "below", "atLeast", "atMost"];
const PARTS = ["contains", "startsWith", "endsWith"];

/** Refused operators by type of additional field (json-api 6.2). For other types, such as references, no operator is refused here. */
const REFUSED_BY_TYPE: ReadonlyMap<string, readonly string[]> = new Map([
  ["time", PARTS],
  ["long", PARTS],
  ["double", PARTS],
  ["string", COMPARISONS],
  ["text", COMPARISONS],
  ["link", COMPARISONS],
  ["boolean", [...COMPARISONS, ...PARTS]],
]);

/** The earliest moment that the platform accepts (json-api 5.4). */
const EARLIEST = instantOfMoment("1970-01-01 03:00:00") ?? 0;
const LOOKS_LIKE_MOMENT = /^\d{4}-\d{2}-\d{2}/;

/**
 * The value of the `filter` parameter before encoding; undefined without a condition. Throws `unsayable` for conditions that the platform
 * would misread or refuse.
 */
export function filterText(filter: object | undefined): string | undefined {
  const conditions = Object.entries(filter ?? {}).flatMap(([name, where]): string[] => {
    if (name === "attributes" && Array.isArray(where)) return (where as readonly AttributeCondition[]).flatMap(attributeConditions);
    return conditionsOn(name, where);
  });
  if (conditions.length === 0) return undefined;
  return inOrder(conditions).join(";");
}

/** The key of an additional field is its address. */
function attributeConditions({ field, where }: AttributeCondition): string[] {
  const refused = REFUSED_BY_TYPE.get(field.type ?? "") ?? [];
  const parts: object = isOperators(where) ? where : {};
  const wrong = Object.keys(parts).find((name) => refused.includes(name));
  if (field.type === "file" || wrong !== undefined)
    throw unsayable(`an additional field of the type ${field.type} cannot be filtered by ${wrong ?? "its value"}`);
  return conditionsOn(hrefOf(field), where);
}

function conditionsOn(key: string, where: unknown): string[] {
  const parts: object = isOperators(where) ? where : { is: where };
  const given = Object.entries(parts);
  // Without a condition every object would match. A caller who names a field does not mean that.
  if (given.length === 0) throw unsayable(`no condition for ${key}`);
  if (given.some(([name]) => name === "is") && given.some(([name]) => COMPARISONS.includes(name)))
    throw unsayable(`${key} cannot be filtered by a value and by a range at once`);
  return given.flatMap(([name, value]) => {
    const operator = OPERATORS.get(name);
    if (operator === undefined) throw unsayable(`there is no operator ${name}`);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    // The platform cannot express an empty list, which matches nothing. Without the condition everything would match.
    if (values.length === 0) throw unsayable(`an empty list of values for ${key}`);
    return values.map((each) => `${key}${operator}${notPartOf(operator, constant(each, key, name))}`);
  });
}

/** Distinguishes operators from a reference, which has a meta. */
function isOperators(where: unknown): where is object {
  return typeof where === "object" && where !== null && !Array.isArray(where) && !("meta" in where);
}

function constant(value: unknown, key: string, operator: string): string {
  if (value === null && (operator === "is" || operator === "isNot")) return "";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return plainNumber(value);
  if (typeof value === "string") return textConstant(value, key, operator);
  if (typeof value === "object" && value !== null && "meta" in value) return escaped(hrefOf(value as Ref));
  throw unsayable(`${String(value)} is no value to compare ${key} with`);
}

function textConstant(value: string, key: string, operator: string): string {
  if (value === "") throw unsayable(`an empty text as ${operator} for ${key}: null stands for a missing value`);
  if (COMPARISONS.includes(operator) && LOOKS_LIKE_MOMENT.test(value)) {
    const instant = instantOfMoment(value.length === 16 ? `${value}:00` : value);
    if (instant === undefined || instant < EARLIEST) throw unsayable(`${value} is no moment that the platform takes`);
  }
  return escaped(value);
}

/** Writes very large and very small numbers without an exponent. Throws for numbers of more digits than `parseDecimal` reads. */
function plainNumber(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw unsayable(`${text} is no number that the platform takes`);
  return formatDecimal(decimal);
}

/**
 * Throws for a constant whose first character the platform would read as part of the operator: after `=` a constant that begins with `~`
 * (read as `=~`), after `~` a constant that begins with `=` (read as `~=`). The platform has no escape for these characters.
 */
function notPartOf(operator: Operator, text: string): string {
  if (operator === "=" && text.startsWith("~")) throw unsayable(`a text that begins with ~ can be compared by startsWith alone: ${text}`);
  if (operator === "~" && text.startsWith("=")) throw unsayable(`a part of a text cannot begin with =: ${text}`);
  return text;
}

/** The platform knows only the escape `\;` (D7). */
function escaped(text: string): string {
  return text.replaceAll(";", "\\;");
}

/** Puts a condition that ends with a backslash last. The backslash cannot be escaped and would escape the separator after it. */
function inOrder(conditions: readonly string[]): readonly string[] {
  const swallowing = conditions.filter((condition) => condition.endsWith("\\"));
  if (swallowing.length > 1) throw unsayable("two conditions end in a backslash, for which the platform has no escape");
  return [...conditions.filter((condition) => !condition.endsWith("\\")), ...swallowing];
}

function unsayable(words: string): PlatformFailure {
  return new PlatformFailure("unsayable", words);
}
