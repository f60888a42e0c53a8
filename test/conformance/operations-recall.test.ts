import { describe, expect, it } from "vitest";
import type { Outcome, Recalled } from "../../src/registers/register.ts";
import { once } from "../support/registers.ts";
import { saleOperation, Till } from "../support/till.ts";

/** A till whose register has a record of attempts. The test decides the record's answers. */
async function recordedTill(answer: () => Recalled | "recorded") {
  const attempts: string[] = [];
  let recorded: Outcome | undefined;
  const till = await Till.open({
    line: (register) => ({
      identity: (deadline) => register.identity(deadline),
      inspect: (deadline) => register.inspect(deadline),
      lookUp: (number, deadline) => register.lookUp(number, deadline),
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
      async perform(document, deadline, attempt) {
        attempts.push(attempt?.id ?? "");
        recorded = await register.perform(document, deadline, attempt);
        return recorded;
      },
      async recall({ id: attemptId }) {
        const told = answer();
        if (told !== "recorded") return told;
        expect(attemptId).toBe(attempts.at(-1));
        return recorded === undefined ? { kind: "never" } : { kind: "outcome", outcome: recorded };
      },
    }),
  });
  await till.openShift();
  till.trial.inject({ after: once("receipt", { kind: "lose-reply" as const }) });
  await till.submitAndWait(saleOperation("sale-1"));
  const entry = async () => (await till.journal.list({ documentId: "sale-1", limit: 1 }))[0];
  return { till, entry };
}

describe("a sale whose answer was lost, at a register with a record of attempts,", () => {
  it("is not registered when the record says that it was never begun", async () => {
    const { entry } = await recordedTill(() => ({ kind: "never" }));
    expect((await entry())?.state).toBe("refused");
  });

  it("waits while it is being made, and while the record cannot be asked", async () => {
    let answer: Recalled = { kind: "running" };
    const { till, entry } = await recordedTill(() => answer);
    expect(await entry()).toMatchObject({ state: "in-doubt", doubt: { code: "answer-late" } });
    answer = { kind: "unreachable", reason: "the agent is away" };
    await till.killAndRestart();
    expect(await entry()).toMatchObject({ state: "in-doubt", doubt: { code: "no-answer", reason: "the agent is away" } });
    answer = { kind: "unknown" };
    await till.killAndRestart();
    expect((await entry())?.state).toBe("done");
  });

  it("ends by the device's evidence when the record does not know the outcome either, or has only a doubt", async () => {
    for (const answer of ["recorded", { kind: "unknown" }] as const) {
      const { till, entry } = await recordedTill(() => answer);
      await till.settled();
      expect(await entry()).toMatchObject({ state: "done", facts: { documentNumber: 3 } });
    }
  });
});
