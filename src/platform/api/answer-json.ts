import { excessOf } from "./json-measure.ts";

/** Objects of the platform stand about ten deep: a document, its positions, goods, prices, a currency. */
const MAX_DEPTH = 64;
/**
 * The platform's JSON has about a dozen bytes for each mark of structure, most of them in addresses and ids. Where an answer may
 * have so many bytes, it may have one mark for this many. So 2 MiB may have 131 072 marks, of which a product has 100 to 500, and
 * none of them takes longer to parse than a whole page of 1000 objects.
 */
const BYTES_PER_MARK = 16;
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

/** Parses a body of the platform. `maxBytes`: how long it may be; how many marks it may have follows from that. */
export function answerJson(body: Buffer, maxBytes: number): AnswerJson {
  if (body.length === 0) return { kind: "json", value: undefined };
  const bounds = { depth: MAX_DEPTH, marks: Math.max(MIN_MARKS, Math.floor(maxBytes / BYTES_PER_MARK)) };
  const excess = excessOf(body, bounds);
  if (excess === "depth") return { kind: "refused", excess: `more than ${bounds.depth} levels` };
  if (excess === "marks") return { kind: "refused", excess: `more than ${bounds.marks} brackets, colons and commas` };
  try {
    return { kind: "json", value: JSON.parse(body.toString("utf8")) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "page" };
    throw error;
  }
}
