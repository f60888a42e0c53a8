import { Failure } from "../kernel/failure.ts";
import type { Doubt } from "../model/doubt.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Submission, Submitted } from "../operations/submission.ts";
import type { Operations } from "../operations/submit.ts";

/**
 * The number of submissions before the server stops waiting for the register. Each submission is answered within nine
 * seconds, and a register has three minutes for a document.
 */
const MAX_WAITS = 30;

/** The reason why the requested document is not made, as far as it is known now. */
export type NotMade =
  | { code: "refused"; refusal: Refusal }
  | { code: "in-doubt"; doubt: Doubt }
  /** The document was made or begun before, with other data. */
  | { code: "content-differs" }
  /** The register takes longer than any register should. */
  | { code: "running" }
  /** The register has made the document, and the journal has no entry with its facts: it was changed meanwhile. */
  | { code: "entry-missing" };

/**
 * Submits again until a slow register has ended the operation. Returns `running` after `MAX_WAITS` submissions.
 * `endedMeanwhile` is called between two submissions. If it returns an end, nothing is submitted again. Throws what the first
 * submission throws. After that a `Failure` also gives `running`.
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
      // The register may be making the document now, so the failure must not read as if nothing was made.
      if (!isBegun || !(error instanceof Failure)) throw error;
      return { kind: "running" };
    }
  }
  return { kind: "running" };
}

/** Returns the reason why nobody can be shown the document of a submission. */
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
