import type { DocumentFacts } from "../../model/facts.ts";
import { answerOf } from "./answer.ts";

/** A part in which the stored answer differs from the answer that the facts give (`counted`). Null: the stored answer lacks the part. */
interface Difference {
  part: string;
  stored: string | number | null;
  counted: string | number | null;
}

/**
 * Returns the parts in which a stored answer differs from the answer that the facts give. The receipt is not compared. A part that only the
 * stored answer has is ignored: an earlier version of the server may have written it.
 */
export function differencesOf(facts: DocumentFacts, body: Buffer): Difference[] {
  const stored = partsOf(body);
  if (stored === undefined) return [{ part: "body", stored: "no JSON object", counted: "an answer" }];
  const counted = partsOf(answerOf({ facts })) ?? new Map();
  return [...counted].flatMap(([part, value]) => {
    const found = stored.get(part) ?? null;
    return found === value ? [] : [{ part, stored: found, counted: value }];
  });
}

/** Returns the texts and numbers of a JSON object by name. Undefined: the body is no JSON object. */
function partsOf(body: Buffer): Map<string, string | number> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const parts = new Map<string, string | number>();
  for (const [part, each] of Object.entries(value)) if (typeof each === "string" || typeof each === "number") parts.set(part, each);
  return parts;
}
