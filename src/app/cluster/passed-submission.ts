import type { Forwarded } from "../../cluster/forwarding.ts";
import { NOT_HERE } from "../../cluster/forwarding.ts";
import type { CallAnswer } from "../../cluster/inbound.ts";
import { answerOf } from "../../contracts/fiscal/answer.ts";
import type { Elsewhere, Submission, Submitted } from "../../operations/submission.ts";
import { passedOutcomeSchema, passedSubmissionSchema } from "./submission-schema.ts";

export const SUBMIT_PATH = "/internal/submit";

const DONE = "done";
const REPLAYED = "replayed";
const NOT_DONE = "not-done";

/** Writes a submission for the process that holds its register. */
export function writeSubmission(submission: Submission): Buffer {
  const { appId, accountId, contentHash, twinHash, operation } = submission;
  const answer = submission.answer === answerOf ? "contract" : "id";
  return Buffer.from(JSON.stringify({ appId, accountId, contentHash, twinHash, operation, answer }));
}

/** Reads a submission from another process. */
export function readSubmission(body: Buffer): Submission {
  const { answer, ...passed } = passedSubmissionSchema.parse(JSON.parse(body.toString("utf8")));
  const idOnly = () => Buffer.from(passed.operation.document.id);
  return { ...passed, answer: answer === "contract" ? answerOf : idOnly };
}

/** Writes the outcome of a submission. The bytes of an answer stay unchanged. */
export function writeSubmitted(submitted: Submitted | Elsewhere): CallAnswer {
  switch (submitted.kind) {
    case "done":
      return { outcome: submitted.replayed ? REPLAYED : DONE, body: submitted.answer };
    case "elsewhere":
      return { outcome: NOT_HERE, body: Buffer.from("{}") };
    default:
      return { outcome: NOT_DONE, body: Buffer.from(JSON.stringify(submitted)) };
  }
}

/** Reads the outcome of a submission at another process. */
export function readSubmitted(forwarded: Forwarded): Submitted | { kind: "here" } {
  if (forwarded.kind === "here") return forwarded;
  if (forwarded.kind === "late") return { kind: "running" };
  const { outcome, body } = forwarded;
  if (outcome === DONE || outcome === REPLAYED) return { kind: "done", answer: body, replayed: outcome === REPLAYED };
  const read = passedOutcomeSchema.safeParse(JSON.parse(body.toString("utf8")));
  // A process of a newer version may have an outcome that is unknown here. The till repeats its request, and the repeat finds the outcome.
  return read.success ? read.data : { kind: "running" };
}
