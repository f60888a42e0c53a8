import type { core, ZodType } from "zod";
import type { JsonBody } from "../../http/json-body.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { FiscalCallId } from "./endpoints.ts";
import { type FieldProblem, MAX_MARKS } from "./fields.ts";
import { cashSchema, closeShiftSchema, MAX_POSITIONS, openShiftSchema, saleSchema, salesReturnSchema } from "./schema.ts";
import {
  type Scales,
  type Translated,
  translateCash,
  translateCloseShift,
  translateOpenShift,
  translateSale,
  translateSalesReturn,
} from "./translate.ts";

/** Turns parsed JSON into an operation, or into a refusal that names the first wrong field. A body that is no object has no field. */
export function readRequest(call: FiscalCallId, value: unknown, scales: Scales): Translated {
  const oversized = oversizedList(value);
  if (oversized !== undefined) return { kind: "refused", refusal: oversized };
  switch (call) {
    case "openShift":
      return readAs(openShiftSchema, value, translateOpenShift);
    case "sale":
      return readAs(saleSchema, value, (body) => translateSale(body, scales));
    case "salesReturn":
      return readAs(salesReturnSchema, value, (body) => translateSalesReturn(body, scales));
    case "cashIn":
      return readAs(cashSchema, value, (body) => translateCash("cash-in", body, scales));
    case "cashOut":
      return readAs(cashSchema, value, (body) => translateCash("cash-out", body, scales));
    case "closeShift":
      return readAs(closeShiftSchema, value, translateCloseShift);
  }
}

/** The refusal of a document that has too many levels, members or values to be read. */
export function tooMuch({ excess, limit, path }: JsonBody & { kind: "excess" }): Translated {
  const problem: FieldProblem = excess === "depth" ? "too-deep" : "too-large";
  return { kind: "refused", refusal: { code: "field-invalid", parameter: nameOf(path), details: { problem, limit: String(limit) } } };
}

function readAs<T>(schema: ZodType<T>, value: unknown, translate: (body: T) => Translated): Translated {
  const result = schema.safeParse(value);
  if (result.success) return translate(result.data);
  const [issue] = result.error.issues;
  const path = issue?.path ?? [];
  const parameter = path.length === 0 ? {} : { parameter: nameOf(path) };
  return {
    kind: "refused",
    refusal: { code: "field-invalid", ...parameter, details: { problem: problemOf(issue, valueAt(value, path)) } },
  };
}

/** Checks the number of positions, and of marks in the whole document. The schema checks each position alone, so it cannot add up marks. */
function oversizedList(value: unknown): Refusal | undefined {
  const positions = valueAt(value, ["positions"]);
  if (!Array.isArray(positions)) return undefined;
  if (positions.length > MAX_POSITIONS) return tooMany("positions", MAX_POSITIONS);
  let seen = 0;
  for (const [index, position] of positions.entries()) {
    const marks = valueAt(position, ["marks"]);
    if (Array.isArray(marks)) seen += marks.length;
    if (seen > MAX_MARKS) return tooMany(`positions[${index}].marks`, MAX_MARKS);
  }
  return undefined;
}

function tooMany(parameter: string, limit: number): Refusal {
  return { code: "field-invalid", parameter, details: { problem: "too-many" satisfies FieldProblem, limit: String(limit) } };
}

function problemOf(issue: core.$ZodIssue | undefined, found: unknown): FieldProblem {
  if (found === undefined || found === null) return "missing";
  if (issue?.code === "too_small") return "none";
  const problem: unknown = issue?.code === "custom" ? issue.params?.problem : undefined;
  return typeof problem === "string" ? (problem as FieldProblem) : "type";
}

/** Writes a path as `positions[2].price`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === "number") return `${name}[${step}]`;
    return name === "" ? String(step) : `${name}.${String(step)}`;
  }, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((found, step) => (isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined), value);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}
