import { Failure } from "../kernel/failure.ts";
import type { Doubt } from "../model/doubt.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Submission, Submitted } from "../operations/submission.ts";
import type { Operations } from "../operations/submit.ts";

/** The largest number of submissions. Each is answered within nine seconds, and a register has three minutes for a document. */
const MAX_WAITS = 30;

/** Why the caller has no document to show. */
export type NotMade =
  | { code: "refused"; refusal: Refusal }
  | { code: "in-doubt"; doubt: Doubt }
  /** The document was made or begun earlier with other data. */
  | { code: "content-differs" }
  /** The operation has not ended after all submissions, or a later submission failed. */
  | { code: "running" }
  /** The register has made the document, but the journal has no entry with its facts: the journal was changed meanwhile. */
  | { code: "entry-missing" };

/**
 * Submits again until a slow register has ended the operation. Returns `running` after `MAX_WAITS` submissions. `endedMeanwhile` is called
 * between two submissions, and an end that it returns stops the loop. A failure of the first submission is thrown. A later `Failure` gives
 * `running`.
 */
export async function submitUntilEnded(
  operations: Pick<Operations, "submit">,
  submission: Submission,
  endedMeanwhile: () => Promise<Submitted | undefined> = async () => undefined,
): Promise<Submitted> {
  let isBegun = false;
  for (let wait = 1; wait <= MAX_WAITS; wait += 1) {
    try {
      const submitted = await operations.submit(submission);
      if (submitted.kind !== "running") return submitted;
      isBegun = true;
      const ended = await endedMeanwhile();
      if (ended !== undefined) return ended;
    } catch (error) {
      // The register may be making the document now, so the failure must not suggest that nothing was made.
      if (!isBegun || !(error instanceof Failure)) throw error;
      return { kind: "running" };
    }
  }
  return { kind: "running" };
}

/** Returns why a submission has no document to show. */
export function notMadeOf(submitted: Submitted): NotMade {
  switch (submitted.kind) {
    case "refused":
      return { code: "refused", refusal: submitted.refusal };
    case "in-doubt":
      return { code: "in-doubt", doubt: submitted.doubt };
    case "content-differs":
    case "running":
      return { code: submitted.kind };
    case "done":
      return { code: "entry-missing" };
  }
}
