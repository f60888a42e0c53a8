import { describe, expect, it } from "vitest";
import { REFUSAL_LIMITS } from "../../src/operations/refusal-bound.ts";
import type { Register } from "../../src/registers/register.ts";
import { once } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

async function sell(till: Till, id: string): Promise<string> {
  return textOf(await till.submitAndWait(saleOperation(id)))
    .split(" ")
    .slice(0, 2)
    .join(" ");
}

/** Restores the copy, and lets the processes begin anew. */
async function restored(copy: Awaited<ReturnType<typeof copyOf>>, ...tills: Till[]): Promise<void> {
  const [first] = tills;
  if (first === undefined) throw new Error("no till");
  await restore(first.store, copy);
  for (const till of tills) await till.killAndRestart();
}

it("a sale that the copy lacks is found where another process takes back a person's claim of its document", async () => {
  const till = await Till.open();
  await till.openShift();
  till.trial.inject({ before: once("receipt", { kind: "power-cut" }) });
  await till.submitAndWait(saleOperation("sale-1"));
  await till.settled();
  const copy = await copyOf(till.store);
  till.trial.device.powerOn();
  await till.settled();
  expect(await sell(till, "lost")).toBe("receipt 3");
  const made = await till.trial.lookUp(3);
  if (made.kind !== "found") throw new Error("the drive has no document 3");
  await restore(till.store, copy);
  const [doubt] = await till.journal.unfinished();
  if (doubt === undefined) throw new Error("nothing is in doubt");
  // A person read the wrong paper while the register could not be asked.
  const claimed = await till.journal.finish(doubt, { kind: "done", facts: made.facts }, "person", [{ code: "unconfirmed" }]);
  await till.killAndRestart();
  expect(await sell(till, "sale-3")).toBe("receipt 4");
  await till.journal.settleAgain(claimed, { kind: "refused", refusal: { code: "not-registered" } }, [{ code: "unconfirmed" }]);
  expect(await sell(till, "lost")).toBe("receipt 3");
  expect(await till.documents()).toBe(4);
});

/** The line of one process does not give document 3 while `hides` says so. */
function hiding(register: Register, hides: () => boolean): Register {
  return new Proxy(register, {
    get(target, name) {
      if (name === "lookUp") {
        const lookUp: Register["lookUp"] = async (number, deadline) =>
          number === 3 && hides() ? { kind: "unreachable", reason: "the line is bad" } : target.lookUp(number, deadline);
        return lookUp;
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

it("a sale that the copy lacks is found by a process that could not read it, once another process has read it", async () => {
  const one = await Till.open({ line: (register) => hiding(register, () => true) });
  const other = await Till.open({ trial: one.trial, store: one.store });
  await one.openShift();
  const copy = await copyOf(one.store);
  expect(await sell(one, "lost")).toBe("receipt 3");
  await restored(copy, one, other);
  const answers: string[] = [];
  // Five turns are refused, and the document is requested in ten.
  for (let nth = 1; nth <= 12; nth += 1) answers.push(await sell(one, `sale-${nth}`));
  expect(answers.filter((text) => text === "register-unreachable")).toHaveLength(5);
  expect(await sell(other, "sale-13")).toBe("receipt 11");
  expect(await sell(one, "lost")).toBe("register-unreachable");
  expect(await sell(other, "lost")).toBe("receipt 3");
  expect(await one.documents()).toBe(11);
});

const NONE = { ...REFUSAL_LIMITS.writtenPerAccount, most: 0 };

describe("when the newest rows are lost, while a process lives on that has seen them and not written them,", () => {
  /** Two processes. The first has made documents 4 and 5, and their rows are lost. It begins anew, reads them in the drive, and sells. */
  async function afterLoss() {
    const one = await Till.open();
    // It writes no row, not even of its refusals.
    const other = await Till.open({ trial: one.trial, store: one.store, refusals: { ...REFUSAL_LIMITS, writtenPerAccount: NONE } });
    await one.openShift();
    expect(await sell(one, "sale-3")).toBe("receipt 3");
    const copy = await copyOf(one.store);
    expect(await sell(one, "sale-4")).toBe("receipt 4");
    expect(await sell(one, "sale-5")).toBe("receipt 5");
    // A sale of another shift is refused after the drive was read.
    const refused = await other.submitAndWait(saleOperation("refused", { shift: { id: "shift-2", idType: "native" } }));
    expect(textOf(refused)).toBe("shift-conflict");
    await restored(copy, one);
    expect(await sell(one, "next")).toBe("receipt 6");
    return { one, other };
  }

  it("a lost sale is found by that process", async () => {
    const { one, other } = await afterLoss();
    expect(await sell(other, "sale-4")).toBe("receipt 4");
    expect(await sell(other, "sale-5")).toBe("receipt 5");
    expect(await one.documents()).toBe(6);
  });
});
