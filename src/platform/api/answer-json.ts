import { nextTurn } from "../../kernel/clock.ts";
import { withoutNuls } from "../../kernel/json/storable.ts";
import { JsonTooLarge, jsonInPieces } from "./json-pieces.ts";

/** The deepest nesting that is read. Objects of the platform have about ten levels, counting lists and objects. */
const MAX_DEPTH = 64;
/**
 * An answer may have one mark of structure (`JsonBounds.marks`) for each eight bytes of its allowed length. This bounds the memory that the
 * values need. The densest rows, in the stock reports, have eleven bytes a mark.
 */
const BYTES_PER_MARK = 8;
/**
 * The longest JSON string. The platform's longest fields have 4,096 characters, and pictures come as files. Parsing a longer string would
 * block all other work.
 */
const MAX_TEXT_BYTES = 3 * 1024 * 1024;
/** Every answer may have this many marks, even where only a short answer is allowed. */
const MIN_MARKS = 10_000;

export type AnswerJson =
  /** `value` is undefined when the body is empty, as after deletions. */
  | { readonly kind: "json"; readonly value: unknown }
  /** The body is not JSON, for example a proxy's web page. The caller then judges the answer by its status. */
  | { readonly kind: "page" }
  /** Parsing would take too long or too much memory. `excess`: words that name the exceeded bound. */
  | { readonly kind: "refused"; readonly excess: string };

/** Parses a body in steps of some milliseconds, with other work in between. `maxBytes`: the allowed length, which also limits the marks. */
export async function answerJson(body: Buffer, maxBytes: number): Promise<AnswerJson> {
  const steps = answerInSteps(body, maxBytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/**
 * Parses a body without a pause. Use it only with a `maxBytes` of at most 256 KiB: this limits the marks of structure, also in a longer
 * body. Each NUL becomes a space, because names from these answers are stored unchanged. `answerJson` keeps each NUL.
 */
export function answerJsonAtOnce(body: Buffer, maxBytes: number): AnswerJson {
  const steps = answerInSteps(Buffer.from(withoutNuls(body.toString("latin1")), "latin1"), maxBytes);
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
