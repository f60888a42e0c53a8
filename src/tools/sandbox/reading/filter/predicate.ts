import { refused } from "../../call/refusal.ts";
import type { Stored } from "../../values/stored.ts";
import { type Condition, conditionText, type Operator } from "./conditions.ts";
import type { BooleanOperand, NumberOperand, Operand, TextOperand, TextsOperand } from "./operand.ts";

/** Whether the object at a place matches. */
export type PlaceTest = (place: number) => boolean;

/** Source of the values: `Rows`, or an object with the same members. */
export interface ValueSource {
  readonly stored: readonly (Stored | undefined)[];
  column<T>(key: string, read: (stored: Stored) => T): readonly T[];
}

const ORDER_OPERATORS: ReadonlySet<Operator> = new Set(["<", ">", "<=", ">="]);

/**
 * Returns one test for all conditions on an operand (json-api 6.2, rules 2–8). If there are conditions with `=`, the value must match one
 * of their constants. The value must match no constant of `!=`. If an order operator (`<`, `>`, `<=`, `>=`) is repeated, only its first
 * condition counts. All other conditions must hold. Throws a `Refusal`.
 */
export function operandTest(operand: Operand, conditions: readonly Condition[], source: ValueSource): PlaceTest {
  checkOperators(operand, conditions);
  switch (operand.is) {
    case "text":
      return textTest(operand, conditions, source);
    case "texts":
      return textsTest(operand, conditions, source);
    case "number":
      return numberTest(operand, conditions, source);
    case "boolean":
      return booleanTest(operand, conditions, source);
  }
}

function checkOperators({ operators, single }: Operand, conditions: readonly Condition[]): void {
  const foreign = conditions.find(({ operator }) => !operators.has(operator));
  if (foreign !== undefined) throw refused(1034, undefined, conditionText(foreign));
  const [first] = conditions;
  if (single && first !== undefined && conditions.length > 1) throw refused(1030, undefined, first.key);
  const ordering = conditions.find(({ operator }) => ORDER_OPERATORS.has(operator));
  if (ordering !== undefined && conditions.some(({ operator }) => operator === "=")) {
    throw refused(1034, undefined, conditions.map(conditionText).join(";"));
  }
}

/** The constants of one operator. `missing`: one constant is empty, which means a missing value. */
interface Wanted<T> {
  readonly values: readonly T[];
  readonly missing: boolean;
}

function wantedOf<T>(
  { empties }: Operand,
  conditions: readonly Condition[],
  operator: Operator,
  read: (text: string) => T,
): Wanted<T> | undefined {
  const own = conditions.filter((condition) => condition.operator === operator);
  if (own.length === 0) return undefined;
  const filled = own.filter(({ constant }) => !empties || constant !== "");
  return { values: filled.map(({ constant }) => read(constant)), missing: filled.length < own.length };
}

function listed<T>(equal: Wanted<T> | undefined, other: Wanted<T> | undefined): (value: T | undefined) => boolean {
  const inside = equal === undefined ? undefined : new Set<T | undefined>(equal.values);
  const outside = other === undefined ? undefined : new Set<T | undefined>(other.values);
  if (equal?.missing === true) inside?.add(undefined);
  if (other?.missing === true) outside?.add(undefined);
  return (value) => (inside === undefined || inside.has(value)) && (outside === undefined || !outside.has(value));
}

function textTest(operand: TextOperand, conditions: readonly Condition[], source: ValueSource): PlaceTest {
  const equal = wantedOf(operand, conditions, "=", operand.readConstant);
  const other = wantedOf(operand, conditions, "!=", operand.readConstant);
  const tests: PlaceTest[] = [];
  if (equal !== undefined || other !== undefined) {
    const fits = listed(equal, other);
    // An empty text counts as missing.
    const values = columnOf(operand, source, "", (stored) => operand.read(stored) || undefined);
    tests.push((place) => fits(values[place]));
  }
  const parts = partTests(conditions);
  if (parts.length > 0) {
    const lower = columnOf(operand, source, " in lower case", (stored) => operand.read(stored)?.toLowerCase());
    tests.push(
      ...parts.map((part): PlaceTest => {
        return (place) => {
          const value = lower[place];
          return value !== undefined && part(value);
        };
      }),
    );
  }
  return all(tests);
}

/** Returns the test for several values: `=` requires that one of them matches, `!=` that none of them matches. */
function textsTest(operand: TextsOperand, conditions: readonly Condition[], source: ValueSource): PlaceTest {
  const equal = wantedOf(operand, conditions, "=", operand.readConstant);
  const other = wantedOf(operand, conditions, "!=", operand.readConstant);
  const parts = partTests(conditions);
  const values = columnOf(operand, source, "", (stored) => operand.read(stored));
  return (place) => {
    const own = values[place] ?? [];
    if (equal !== undefined && !touches(equal, own)) return false;
    if (other !== undefined && touches(other, own)) return false;
    return parts.every((part) => own.some((value) => part(value.toLowerCase())));
  };
}

function touches({ values, missing }: Wanted<string>, own: readonly string[]): boolean {
  return own.length === 0 ? missing : values.some((value) => own.includes(value));
}

/** Returns the tests for `~`, `~=` and `=~`. The tests expect texts in lower case. */
function partTests(conditions: readonly Condition[]): ((lower: string) => boolean)[] {
  return conditions.flatMap(({ operator, constant }) => {
    const part = constant.toLowerCase();
    switch (operator) {
      case "~":
        // `indexOf` takes half the time of `includes`, and a list needs a hundred thousand calls.
        return [(lower: string) => lower.indexOf(part) >= 0];
      case "~=":
        return [(lower: string) => lower.startsWith(part)];
      case "=~":
        return [(lower: string) => lower.endsWith(part)];
      default:
        return [];
    }
  });
}

function numberTest(operand: NumberOperand, conditions: readonly Condition[], source: ValueSource): PlaceTest {
  const values = columnOf(operand, source, "", (stored) => operand.read(stored) ?? Number.NaN);
  const same = (value: number, { value: constant, step = 1 }: { value: number; step: number | undefined }) =>
    step === 1 ? value === constant : Math.floor(value / step) === Math.floor(constant / step);
  const tests: PlaceTest[] = [];
  const equal = wantedOf(operand, conditions, "=", operand.readConstant);
  const other = wantedOf(operand, conditions, "!=", operand.readConstant);
  const among = (wanted: Wanted<{ value: number; step: number | undefined }>, value: number) =>
    Number.isNaN(value) ? wanted.missing : wanted.values.some((constant) => same(value, constant));
  if (equal !== undefined) tests.push((place) => among(equal, values[place] ?? Number.NaN));
  if (other !== undefined) tests.push((place) => !among(other, values[place] ?? Number.NaN));
  for (const operator of ORDER_OPERATORS) {
    // Of a repeated operator only the first condition counts.
    const first = conditions.find((condition) => condition.operator === operator);
    if (first !== undefined) tests.push(boundTest(operator, operand.readConstant(first.constant), values));
  }
  return all(tests);
}

/** Returns the test for `<`, `>`, `<=` and `>=`. A missing value is NaN and fails every comparison. */
function boundTest(
  operator: Operator,
  { value, step = 1 }: { value: number; step: number | undefined },
  values: readonly number[],
): PlaceTest {
  const from = step === 1 ? value : Math.floor(value / step) * step;
  const to = step === 1 ? value : from + step - 1;
  switch (operator) {
    case "<":
      return (place) => (values[place] ?? Number.NaN) < from;
    case "<=":
      return (place) => (values[place] ?? Number.NaN) <= to;
    case ">":
      return (place) => (values[place] ?? Number.NaN) > to;
    default:
      return (place) => (values[place] ?? Number.NaN) >= from;
  }
}

function booleanTest(operand: BooleanOperand, conditions: readonly Condition[], source: ValueSource): PlaceTest {
  const fits = listed(wantedOf(operand, conditions, "=", operand.readConstant), wantedOf(operand, conditions, "!=", operand.readConstant));
  const [whenTrue, whenFalse] = [fits(true), fits(false)];
  if (whenTrue && whenFalse) return () => true;
  const values = columnOf(operand, source, "", (stored) => operand.read(stored));
  return (place) => (values[place] === true ? whenTrue : whenFalse);
}

/** Returns the values by place. Values that depend on other objects are read at each call. */
function columnOf<T>({ name, kept }: Operand, source: ValueSource, view: string, read: (stored: Stored) => T): readonly T[] {
  if (kept) return source.column(`${name}${view}`, read);
  return source.stored.map((stored) => (stored === undefined ? undefined : read(stored)) as T);
}

/** Joins the tests by AND. */
export function all(tests: readonly PlaceTest[]): PlaceTest {
  const [first = () => true, second] = tests;
  if (tests.length <= 1) return first;
  if (tests.length === 2 && second !== undefined) return (place) => first(place) && second(place);
  return (place) => tests.every((test) => test(place));
}
