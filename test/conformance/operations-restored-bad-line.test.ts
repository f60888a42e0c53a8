import { describe, expect, it } from "vitest";
import { pause } from "../../src/kernel/clock.ts";
import type { Register } from "../../src/registers/register.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

/** More turns than those in which the server refuses operations because of documents that the register does not give. */
const MANY_TURNS = 10;
/** The number (ФД) of the lost sale. The shift's opening has number 2, and a sale before the copy has number 3. */
const LOST = 4;
/** Longer than the server waits for the answer to one short request. */
const SLOW_MS = 12_000;

/** A line that fails in one way. All other requests pass. */
type BadLine = (register: Register, trial: Trial) => Register;

/** Every document takes long, because a document needs many messages. A short request passes at once. */
const slowDocuments: BadLine = (register, trial) => ({
  ...passing(register),
  async lookUp(number, deadline) {
    if (number > LOST) return register.lookUp(number, deadline);
    const waitedMs = Math.min(SLOW_MS, deadline.remainingMs());
    await pause(trial.clock, waitedMs);
    return waitedMs < SLOW_MS
      ? { kind: "unreachable", reason: "касса не ответила за отведённое время" }
      : register.lookUp(number, deadline);
  },
});

function passing(register: Register): Register {
  return {
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  };
}

/** A till whose database lacks these sales, document 4 of the drive and the next ones. `badLine`: the line from now on. */
async function restoredTill(badLine: BadLine, lost = ["lost"]): Promise<Till> {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  let isBad = false;
  const line = (register: Register): Register => {
    const bad = badLine(register, trial);
    const now = () => (isBad ? bad : register);
    return {
      ...passing(register),
      inspect: (deadline) => now().inspect(deadline),
      lookUp: (number, deadline) => now().lookUp(number, deadline),
    };
  };
  const till = await Till.open({ trial, line });
  await till.openShift();
  await sell(till, "kept");
  const copy = await copyOf(till.store);
  for (const [at, id] of lost.entries()) expect(await sell(till, id)).toBe(`receipt ${LOST + at}`);
  await restore(till.store, copy);
  await till.killAndRestart();
  isBad = true;
  return till;
}

async function sell(till: Till, id: string): Promise<string> {
  const answer = textOf(await till.submitAndWait(saleOperation(id)));
  await till.settled();
  return answer.split(" ").slice(0, 2).join(" ");
}

describe("a sale that a restored copy lacks", () => {
  it("is found over a line on which every document takes longer than a short request may", async () => {
    const till = await restoredTill(slowDocuments);
    const answers: string[] = [];
    while (answers.length < MANY_TURNS && !answers.at(-1)?.startsWith("receipt")) answers.push(await sell(till, "lost"));
    expect(answers.at(-1)).toBe(`receipt ${LOST}`);
    expect(await till.documents()).toBe(LOST);
  });

  it("is waited for in all turns in which the line fails while the sale is requested", async () => {
    let asked = 0;
    let isDown = false;
    let fails = true;
    const till = await restoredTill((register) => ({
      ...passing(register),
      async inspect(deadline) {
        if (!isDown) return register.inspect(deadline);
        isDown = false;
        return { kind: "unreachable", reason: "кабель вынут" };
      },
      async lookUp(number, deadline) {
        if (number !== LOST || !fails) return register.lookUp(number, deadline);
        asked += 1;
        // The first turn requests the sale three times from a register that can be reached.
        isDown = asked > 3;
        return { kind: "unreachable", reason: "кабель вынут" };
      },
    }));
    for (let turn = 1; turn <= MANY_TURNS; turn += 1) expect(await sell(till, "lost")).toBe("register-unreachable");
    fails = false;
    expect(await sell(till, "lost")).toBe(`receipt ${LOST}`);
    expect(await till.documents()).toBe(LOST);
  });

  it("is waited for where the status is old, and the line fails after the documents before the sale were given", async () => {
    let asked = 0;
    let isOld = true;
    const till = await restoredTill(
      (register) => ({
        ...passing(register),
        async inspect(deadline) {
          const seen = await register.inspect(deadline);
          return seen.kind === "reached" && isOld ? { ...seen, value: { ...seen.value, lastDocumentNumber: LOST } } : seen;
        },
        async lookUp(number, deadline) {
          // The document before the sale is given, and from then on no document.
          if (number === LOST) asked += 1;
          const fails = asked > 1 || number > LOST;
          return isOld && fails ? { kind: "unreachable", reason: "кабель вынут" } : register.lookUp(number, deadline);
        },
      }),
      ["before", "lost"],
    );
    for (let turn = 1; turn < MANY_TURNS / 2; turn += 1) expect(await sell(till, "lost")).toBe("register-unreachable");
    isOld = false;
    expect(await sell(till, "lost")).toBe(`receipt ${LOST + 1}`);
    expect(await till.documents()).toBe(LOST + 1);
  });
});
