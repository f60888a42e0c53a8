import { z } from "zod";
import { formatDecimal, parseDecimal } from "../../kernel/decimal.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { parseWallTime, type WallTime } from "../../kernel/moment.ts";
import { withoutEnd } from "../../kernel/text-end.ts";
import { PLATFORM_ID } from "../../model/operation.ts";

/**
 * What the platform's bodies are made of, read with its habits in mind (platform-contracts 7): null and an
 * empty text are absence, a number may be a text and the reverse. Numbers come as their source text, so
 * that nothing is rounded; what comes out of a schema is one canonical spelling of each value.
 */

/** Why a field is wrong; `field-invalid` carries it and the failures table words it. */
export type FieldProblem =
  | "missing"
  | "type"
  | "id"
  | "number"
  | "range"
  | "decimals"
  | "kopeck-fraction"
  | "moment"
  | "too-long"
  | "too-many"
  | "too-deep"
  | "too-large"
  | "none";

/** Names of documents, goods and people: the platform's own limit is 255. */
const MAX_NAME_LENGTH = 1_000;
/** Marks of a whole document: each becomes a line of its own, and a receipt has no more (the model's bound). */
export const MAX_MARKS = 1_000;
/** A number as it is written, with blanks round it; the longest that can be one has 64 characters. */
const MAX_NUMERAL_LENGTH = 200;
/** With blanks round it, and a fraction of a second. */
const MAX_MOMENT_LENGTH = 100;
/** Spelled-out decimals of a percentage that came from a division; more is no percentage. */
const MAX_PERCENT_DECIMALS = 30;

type Issues = Pick<z.RefinementCtx, "addIssue">;

const id = z
  .string()
  .refine((text) => PLATFORM_ID.test(text), { params: { problem: "id" satisfies FieldProblem } })
  .describe("1–64 characters of A–Z a–z 0–9 -");

/** Only `sync` is anything else than the platform's own id; the field may be absent or wrong (interface 6, References). */
const idType = z
  .unknown()
  .optional()
  .transform((value): "native" | "sync" =>
    typeof value === "string" && value.length === SYNC.length && value.toLowerCase() === SYNC ? SYNC : "native",
  )
  .meta({ description: "`native`, or `sync` for an id made at the till; native when absent", enum: ["native", "sync"] });

const SYNC = "sync";

/** Who something is: href and type are not looked at. */
export const meta = z.object({ id, idType });

export const reference = z.object({ meta }).transform((value) => value.meta);

/** A reference that may be missing in any of the ways the platform leaves things out. */
export const optionalReference = z
  .object({ meta: meta.extend({ id: absentWhenBlank(id) }).nullish() })
  .nullish()
  .transform((value) => (value?.meta?.id === undefined ? undefined : { id: value.meta.id, idType: value.meta.idType }));

/** Anything that leaves a trace on paper: not only spaces, controls and joiners of no width. */
const VISIBLE = /[^\s\p{C}]/u;

/** Its length first: nothing looks into a text that may be as long as the body. */
const shortText = z
  .string()
  .refine((text) => text.length <= MAX_NAME_LENGTH, { params: { problem: "too-long" satisfies FieldProblem }, abort: true });

export const name = shortText
  .refine((text) => VISIBLE.test(text), { params: { problem: "missing" satisfies FieldProblem }, abort: true })
  .transform((text) => text.trim());

export const optionalText = shortText
  .nullish()
  .transform((text) => (text === null || text === undefined || text.trim() === "" ? undefined : text.trim()));

/** Never refused, whatever it is: an invalid contact must not block a sale (fiscal-receipts 4.9). */
export const contact = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((text) => text?.slice(0, MAX_NAME_LENGTH).trim() || undefined);

export const moment = z
  .string()
  .transform((text, context) => momentIn(text) ?? wrong(context, "moment"))
  .meta({ description: "YYYY-MM-DD HH:MM:SS", examples: ["2026-11-12 18:42:10"] });

function momentIn(text: string): WallTime | undefined {
  return text.length > MAX_MOMENT_LENGTH ? undefined : parseWallTime(text.trim());
}

export const flag = z.union([z.boolean(), z.stringbool({ truthy: ["true"], falsy: ["false"], case: "insensitive" })]);

const numeral = z.union([z.string(), z.number()]);

/** An amount of money: what unit it is in is decided where the scales are known. Never negative. */
export const amount = numeral.transform(decimalThat(isNotNegative));

/** An amount that counts as 0 when it is not there. */
export const optionalAmount = numeral.nullish().transform(orAbsent(decimalThat(isNotNegative), "0"));

export const positiveAmount = numeral.transform(decimalThat(isPositive));

/** A quantity of something: above zero; how exact and how large is decided by the model. */
export const quantity = numeral.transform(decimalThat(isPositive));

/** A percentage of either sign; 0 when it is not there. */
export const discount = numeral.nullish().transform(orAbsent(decimalThat(isPercentage), "0"));

export const rate = numeral.nullish().transform(
  orAbsent(
    decimalThat(() => undefined),
    undefined,
  ),
);

/** Codes as texts or as `{cis}`; only line breaks at their end are no part of them (platform-contracts 4.5). */
export const marks = boundedList(
  z
    .union([z.string(), z.object({ cis: z.string() })])
    .nullish()
    .transform((mark) => (typeof mark === "string" ? mark : mark?.cis)),
  { max: MAX_MARKS },
)
  .nullish()
  .transform((list) => (list ?? []).flatMap((mark) => (mark === null || mark === undefined ? [] : [withoutEnd(mark, isLineBreak)])));

function isLineBreak(character: string): boolean {
  return character === "\r" || character === "\n";
}

function absentWhenBlank<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === "" || value === null ? undefined : value), schema.optional());
}

type Check = (text: string) => FieldProblem | undefined;
type Reader = (value: string | number, context: Issues) => string;

/** The shortest decimal text of a number that passes the check. */
function decimalThat(check: Check): Reader {
  return (value, context) => {
    const written = String(value);
    if (written.length > MAX_NUMERAL_LENGTH) return wrong(context, "number");
    const source = written.trim();
    const decimal = parseDecimal(source);
    if (decimal === undefined) return wrong(context, source === "" ? "missing" : "number");
    const text = formatDecimal(decimal);
    const problem = check(text);
    return problem === undefined ? text : wrong(context, problem);
  };
}

function orAbsent<Absent>(read: Reader, absent: Absent) {
  return (value: string | number | null | undefined, context: Issues): string | Absent =>
    value === null || value === undefined || isBlank(String(value)) ? absent : read(value, context);
}

function isBlank(text: string): boolean {
  return text.length <= MAX_NUMERAL_LENGTH && text.trim() === "";
}

function isNotNegative(text: string): FieldProblem | undefined {
  return text.startsWith("-") ? "range" : undefined;
}

function isPositive(text: string): FieldProblem | undefined {
  return text === "0" || text.startsWith("-") ? "range" : undefined;
}

function isPercentage(text: string): FieldProblem | undefined {
  return (text.split(".")[1]?.length ?? 0) > MAX_PERCENT_DECIMALS ? "decimals" : undefined;
}

/** Ends a transformation: what it returns is never looked at, since the issue fails the whole schema. */
function wrong(context: Issues, problem: FieldProblem): never {
  context.addIssue({ code: "custom", params: { problem } });
  return z.NEVER;
}
