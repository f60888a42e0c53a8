import { nextTurn } from "../../kernel/clock.ts";
import { excessOf } from "./json-measure.ts";
import { jsonInPieces, TooManyMembers } from "./json-pieces.ts";

/** Objects of the platform stand about ten deep: a document, its positions, goods, prices, a currency. */
const MAX_DEPTH = 64;
/**
 * The shortest rows of the platform, in the stock reports, have eleven bytes for each mark of structure; other objects have more.
 * Where an answer may have so many bytes, it may have one mark for this many: that bounds the memory that its values take.
 */
const BYTES_PER_MARK = 8;
/**
 * The largest number of bytes of one text. The platform's longest fields have 4,096 characters, and pictures come as files. A
 * longer text would stop all other work while it is parsed.
 */
const MAX_TEXT_BYTES = 3 * 1024 * 1024;
/** Marks that every answer may have, however short it must be. */
const MIN_MARKS = 10_000;

/** What a body is as JSON. */
export type AnswerJson =
  /** Undefined: the body is empty, as after deletions. */
  | { readonly kind: "json"; readonly value: unknown }
  /** The body is not JSON. Proxies answer with pages, and their status says enough. */
  | { readonly kind: "page" }
  /** Parsing would stop all other work for too long. `excess`: what there is too much of. */
  | { readonly kind: "refused"; readonly excess: string };

/**
 * Parses a body of the platform. `maxBytes`: how long it may be; how many marks it may have follows from that. A long body is
 * parsed in steps of some milliseconds, with other work in between.
 */
export async function answerJson(body: Buffer, maxBytes: number): Promise<AnswerJson> {
  const steps = answerInSteps(body, maxBytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** The same without a pause, for bodies with few marks: as many as a quarter of a mebibyte may have. */
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
  const excess = yield* excessOf(body, bounds);
  if (excess === "depth") return { kind: "refused", excess: `more than ${bounds.depth} levels` };
  if (excess === "text") return { kind: "refused", excess: `a text of more than ${bounds.textBytes} bytes` };
  if (excess === "marks") return { kind: "refused", excess: `more than ${bounds.marks} brackets, colons and commas` };
  try {
    return { kind: "json", value: yield* jsonInPieces(body) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "page" };
    if (error instanceof TooManyMembers) return { kind: "refused", excess: error.message };
    throw error;
  }
}
