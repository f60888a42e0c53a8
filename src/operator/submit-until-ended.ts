import type { Doubt } from "../model/doubt.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Submission, Submitted } from "../operations/submission.ts";
import type { Operations } from "../operations/submit.ts";

/** A submission is answered within nine seconds and goes on; a register is given up after three minutes. */
const MAX_WAITS = 30;

/** Why the document that a person has asked for is not made, by what is known now. */
export type NotMade =
  | { code: "refused"; refusal: Refusal }
  | { code: "in-doubt"; doubt: Doubt }
  /** It was made before, or begun, with other data. */
  | { code: "content-differs" }
  /** The register works on it longer than a register does. */
  | { code: "running" }
  /** The journal has nothing that was made of it. */
  | { code: "nothing-made" };

/** Registers by asking again until a slow register has ended; `endedMeanwhile` may know earlier, between two answers. */
export async function submitUntilEnded(
  operations: Pick<Operations, "submit">,
  submission: Submission,
  endedMeanwhile: () => Promise<Submitted | undefined> = async () => undefined,
): Promise<Submitted> {
  for (let wait = 1; wait <= MAX_WAITS; wait += 1) {
    const submitted = await operations.submit(submission);
    if (submitted.kind !== "running") return submitted;
    const ended = await endedMeanwhile();
    if (ended !== undefined) return ended;
  }
  return { kind: "running" };
}

/** Of what did not end as a document in the journal. */
export function notMadeOf(submitted: Submitted): NotMade {
  switch (submitted.kind) {
    case "refused":
      return { code: "refused", refusal: submitted.refusal };
    case "in-doubt":
      return { code: "in-doubt", doubt: submitted.doubt };
    case "content-differs":
    case "running":
      return { code: submitted.kind };
    default:
      return { code: "nothing-made" };
  }
}
