import { nextTurn } from "../../kernel/clock.ts";
import { JsonTooLarge, jsonInPieces } from "./json-pieces.ts";

/**
 * The deepest nesting that is read. Objects of the platform have about ten levels: a document, its positions, goods, prices, a currency.
 */
const MAX_DEPTH = 64;
/**
 * For each eight bytes of its allowed length an answer may have one mark of structure (`JsonBounds.marks`). This bounds
 * the memory of its values. The rows with the most marks, in the stock reports, have eleven bytes for each mark. Other
 * objects have more.
 */
const BYTES_PER_MARK = 8;
/**
 * The largest number of bytes of one text. The platform's longest fields have 4,096 characters, and pictures come as files. A
 * longer text would stop all other work while it is parsed.
 */
const MAX_TEXT_BYTES = 3 * 1024 * 1024;
/** The number of marks that every answer may have, also when only a short answer is allowed. */
const MIN_MARKS = 10_000;

/** The result of parsing a body as JSON. */
export type AnswerJson =
  /** Undefined: the body is empty, as after deletions. */
  | { readonly kind: "json"; readonly value: unknown }
  /** The body is not JSON: proxies answer with web pages. The status of the answer says enough. */
  | { readonly kind: "page" }
  /** The parsing would stop all other work for too long. `excess`: the part of the body that is too large. */
  | { readonly kind: "refused"; readonly excess: string };

/**
 * Parses a body of the platform. `maxBytes`: the largest allowed length, which also limits the marks. A long body is parsed in steps of
 * some milliseconds, with other work in between.
 */
export async function answerJson(body: Buffer, maxBytes: number): Promise<AnswerJson> {
  const steps = answerInSteps(body, maxBytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Parses a body without a pause. Only for a `maxBytes` of at most 256 KiB, which allows few marks. */
export function answerJsonAtOnce(body: Buffer, maxBytes: number): AnswerJson {
  const steps = answerInSteps(body, maxBytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* answerInSteps(body: Buffer, maxBytes: number): Generator<undefined, AnswerJson> {
  if (body.length === 0) return { kind: "json", value: undefined };
  const bounds = { depth: MAX_DEPTH, marks: Math.max(MIN_MARKS, Math.floor(maxBytes / BYTES_PER_MARK)), textBytes: MAX_TEXT_BYTES };
  try {
    return { kind: "json", value: yield* jsonInPieces(body, bounds) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "page" };
    if (error instanceof JsonTooLarge) return { kind: "refused", excess: error.message };
    throw error;
  }
}
