import type { DocumentFacts } from "../../model/facts.ts";
import { answerOf } from "./answer.ts";

/** A part of an answer: what the stored answer says, and what the facts say. Null: nothing. */
interface Difference {
  part: string;
  stored: string | number | null;
  counted: string | number | null;
}

/**
 * Returns the parts of a stored answer that say something else than the facts. The receipt in it is not compared, and a part that today's
 * answers do not have is ignored: an earlier version may have given it.
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

/** Returns the texts and numbers of a JSON object by their names. */
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
