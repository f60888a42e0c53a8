import { z } from "zod";
import { formatDecimal, parseDecimal } from "../../kernel/decimal.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { parseWallTime, type WallTime } from "../../kernel/moment.ts";
import { withoutEnd } from "../../kernel/text-end.ts";
import { PLATFORM_ID } from "../../model/operation.ts";

/**
 * Fields of the platform's bodies, in all spellings of the platform (platform-contracts 7). In optional fields null means absence; in
 * optional texts, ids and numbers an empty text does too. Quotes do not matter: `12` and `"12"` are the same number and the same text. All
 * numbers arrive as source text, so nothing is rounded. Each schema returns one canonical spelling of a value.
 */

/** Why a field is wrong. The refusal `field-invalid` has this code in `details.problem`. `field-words.ts` has the words. */
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

/** The longest accepted name or other short text. The platform's own limit is 255, so no real name is refused. */
const MAX_NAME_LENGTH = 1_000;
/** The maximum number of marks in a document. Each mark needs its own line, and the model allows a receipt this many lines. */
export const MAX_MARKS = 1_000;
/** The longest text that is read as a number. The longest valid number has 64 characters; the rest is room for blanks around it. */
const MAX_NUMERAL_LENGTH = 200;
/** The longest text that is read as a moment, with room for a fraction of a second and for blanks around the moment. */
const MAX_MOMENT_LENGTH = 100;
/** The maximum number of decimals of a percentage. It is large, because a percentage that results from a division has many decimals. */
const MAX_PERCENT_DECIMALS = 30;

type Issues = Pick<z.RefinementCtx, "addIssue">;

const id = z
  .string()
  .refine((text) => PLATFORM_ID.test(text), { params: { problem: "id" satisfies FieldProblem } })
  .describe("1–64 characters of A–Z a–z 0–9 -");

/**
 * `sync`, in any letter case, means an id made at the till. Every other value, also a missing or wrong value, means the platform's own id
 * (interface 6, References).
 */
const idType = z
  .unknown()
  .optional()
  .transform((value): "native" | "sync" =>
    typeof value === "string" && value.length === SYNC.length && value.toLowerCase() === SYNC ? SYNC : "native",
  )
  .meta({ description: "`native`, or `sync` for an id made at the till; native when absent", enum: ["native", "sync"] });

const SYNC = "sync";

/** The identity of an object. Href and type are ignored. */
export const meta = z.object({ id, idType });

export const reference = z.object({ meta }).transform((value) => value.meta);

/** A reference that may be absent. The platform then omits it or writes null, omits `meta` or its id, or sends an empty id. */
export const optionalReference = z
  .object({ meta: meta.extend({ id: absentWhenBlank(id) }).nullish() })
  .nullish()
  .transform((value) => (value?.meta?.id === undefined ? undefined : { id: value.meta.id, idType: value.meta.idType }));

/** A character that is visible on paper: no space, no control, no zero-width joiner. */
const VISIBLE = /[^\s\p{C}]/u;

/** The length is checked first, so that no pattern runs over a very long text. */
const shortText = z
  .string()
  .refine((text) => text.length <= MAX_NAME_LENGTH, { params: { problem: "too-long" satisfies FieldProblem }, abort: true });

export const name = shortText
  .refine((text) => VISIBLE.test(text), { params: { problem: "missing" satisfies FieldProblem }, abort: true })
  .transform((text) => text.trim());

export const optionalText = shortText
  .nullish()
  .transform((text) => (text === null || text === undefined || text.trim() === "" ? undefined : text.trim()));

/** Never refused: an invalid contact must not block a sale (fiscal-receipts 4.9). */
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

/** An amount of money, never negative. Its unit is not known here: `translate.ts` applies it. */
export const amount = numeral.transform(decimalThat(isNotNegative));

export const optionalAmount = numeral.nullish().transform(orAbsent(decimalThat(isNotNegative), "0"));

export const positiveAmount = numeral.transform(decimalThat(isPositive));

/** A quantity above zero. `translate.ts` limits its decimals and size. */
export const quantity = numeral.transform(decimalThat(isPositive));

export const discount = numeral.nullish().transform(orAbsent(decimalThat(isPercentage), "0"));

export const rate = numeral.nullish().transform(
  orAbsent(
    decimalThat(() => undefined),
    undefined,
  ),
);

/**
 * Marking codes as texts or as objects with `cis`. Null in the list is left out. A code stays unchanged, except that line breaks at its end
 * are dropped (platform-contracts 4.5).
 */
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

/** Returns a reader for a number that passes the check. The reader returns the number's shortest decimal text. */
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

/** Ends a transformation. Its return value is never used: the issue fails the whole schema. */
function wrong(context: Issues, problem: FieldProblem): never {
  context.addIssue({ code: "custom", params: { problem } });
  return z.NEVER;
}
