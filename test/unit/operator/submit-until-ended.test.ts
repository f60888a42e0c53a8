import { expect, it } from "vitest";
import { Failure } from "../../../src/kernel/failure.ts";
import type { Submission, Submitted } from "../../../src/operations/submission.ts";
import { submitUntilEnded } from "../../../src/operator/submit-until-ended.ts";

const NO_DATABASE = new Failure("database-failed", "dependency", "the disk is full");

/** Operations that give these answers, one for each call. */
function operationsOf(answers: readonly (Submitted | Failure)[]) {
  const left = [...answers];
  return {
    submit: async () => {
      const next = left.shift();
      if (next === undefined || next instanceof Failure) throw next ?? new Error("asked too often");
      return next;
    },
  };
}

it("a document that was begun counts as running when the journal fails while it is waited for", async () => {
  const operations = operationsOf([{ kind: "running" }, { kind: "running" }, NO_DATABASE]);
  expect(await submitUntilEnded(operations, {} as Submission)).toEqual({ kind: "running" });
});

it("a journal that fails at once is told as it is, because nothing was begun", async () => {
  await expect(submitUntilEnded(operationsOf([NO_DATABASE]), {} as Submission)).rejects.toBe(NO_DATABASE);
});
