import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import { checkpoint, entryContent, entryKey } from "../support/journal-entries.ts";
import { once } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

type Shop = "first" | "second";

const SHIFTS = {
  first: { id: "shift-of-first", idType: "native" },
  second: { id: "shift-of-second", idType: "native" },
} as const;

/** Without an address of its own each point of sale has another lane, and all lanes lead to one device. */
const PLACES: [string, Partial<StoreRules>][] = [
  ["at one address", { register: "emulator:shared" }],
  ["at an address each", {}],
];

function report(kind: "open-shift" | "close-shift", shop: Shop): Operation {
  const shift = SHIFTS[shop];
  return shiftOperation(kind, { shift, document: shift, storeId: `store-of-${shop}`, name: shift.id });
}

function sale(shop: Shop, id: string): Operation {
  return saleOperation(`${shop}-${id}`, { shift: SHIFTS[shop], storeId: `store-of-${shop}` });
}

function cashIn(shop: Shop): Operation {
  return cashOperation("cash-in", `${shop}-in`, 100, { shift: SHIFTS[shop], storeId: `store-of-${shop}` });
}

async function told(till: Till, shop: Shop, operation: Operation): Promise<string> {
  const hash = `${shop} ${operation.kind} ${operation.document.id}`;
  return textOf(await till.submitAndWait(operation, hash, { accountId: `account-${shop}` }));
}

const STRANGE: [string, Operation][] = [
  ["an opening", report("open-shift", "second")],
  ["a sale", sale("second", "1")],
  ["cash in", cashIn("second")],
  ["a closing", report("close-shift", "second")],
];

describe.each(PLACES)("two accounts with one register, %s", (_place, rules) => {
  it.each(STRANGE)("an opening of the first in doubt keeps %s of the second out of its shift", async (_what, strange) => {
    const till = await Till.open({ rules });
    till.trial.inject({ after: once("open-shift", { kind: "power-cut" }) });
    expect(await told(till, "first", report("open-shift", "first"))).toBe("in-doubt");
    till.trial.device.powerOn();
    expect(await told(till, "second", strange)).toBe("shift-foreign");
    expect(await till.documents()).toBe(2);
    expect(await told(till, "first", report("open-shift", "first"))).toMatch(/^open-shift 2/);
    expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 3/);
    expect(await told(till, "first", report("close-shift", "first"))).toMatch(/^close-shift 4/);
  });

  it.each(STRANGE)("so does a sale of the first in doubt, in a shift that was opened at the device: %s", async (_what, strange) => {
    const till = await Till.open({ rules });
    await till.trial.openShift();
    till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
    expect(await told(till, "first", sale("first", "1"))).toBe("in-doubt");
    till.trial.device.powerOn();
    expect(await told(till, "second", strange)).toBe("shift-foreign");
    expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 3/);
    expect(await told(till, "first", report("close-shift", "first"))).toMatch(/^close-shift 4/);
  });

  it("an opening that was not made never takes the other account's opening for its own", async () => {
    const till = await Till.open({ rules });
    till.trial.inject({ before: once("open-shift", { kind: "power-cut" }) });
    expect(await told(till, "second", report("open-shift", "second"))).toBe("in-doubt");
    till.trial.device.powerOn();
    expect(await told(till, "first", report("open-shift", "first"))).toMatch(/^open-shift 2/);
    expect(await told(till, "second", report("open-shift", "second"))).toBe("shift-foreign");
    expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 3/);
    expect(await told(till, "second", report("close-shift", "second"))).toBe("shift-foreign");
    expect(await told(till, "first", report("close-shift", "first"))).toMatch(/^close-shift 4/);
  });

  it("a slip for cash keeps a shift that was opened at the device, however much other registers do meanwhile", async () => {
    const till = await Till.open({ rules });
    await till.trial.openShift();
    expect(await told(till, "first", cashIn("first"))).toMatch(/^cash-in/);
    for (let nth = 0; nth < 1_001; nth += 1) {
      const key = entryKey({ accountId: "third", documentId: `elsewhere-${nth}` });
      const begun = await till.journal.begin(entryContent({ key, register: "emulator:busy" }), checkpoint());
      await till.journal.finish(begun, { kind: "refused", refusal: { code: "no-paper" } }, "register");
    }
    for (const [, strange] of STRANGE) expect([strange.kind, await told(till, "second", strange)]).toEqual([strange.kind, "shift-foreign"]);
    expect(await told(till, "first", report("close-shift", "first"))).toMatch(/^close-shift 3/);
  });
});

it("a doubt that the drive cannot end stops the other address too, until it has ended", async () => {
  const till = await Till.open();
  await told(till, "first", report("open-shift", "first"));
  till.trial.inject({ after: once("receipt", { kind: "power-cut" }) });
  expect(await told(till, "first", sale("first", "1"))).toBe("in-doubt");
  till.trial.device.powerOn();
  till.trial.inject({ before: once("stored", { kind: "power-cut" }) });
  expect(await told(till, "second", sale("second", "1"))).toBe("lane-stopped");
  till.trial.device.powerOn();
  expect(await told(till, "second", sale("second", "1"))).toBe("shift-foreign");
  expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 3/);
});

it.each([
  ["is being sent there", "sending", undefined],
  ["an agent got", "in-doubt", "folder-of-an-agent"],
] as const)("a document that %s, at another address of the drive, is left to that address", async (_what, state, record) => {
  const till = await Till.open({ rules: { register: "emulator:shared" } });
  await told(till, "first", report("open-shift", "first"));
  const { driveNumber, lastDocumentNumber } = await till.trial.state();
  const key = entryKey({ accountId: "account-first", documentId: "elsewhere" });
  const before = { ...checkpoint(), driveNumber, lastDocumentNumber, ...(record === undefined ? {} : { record }) };
  const begun = await till.journal.begin(entryContent({ key, register: "emulator:other-address" }), before);
  if (state === "in-doubt") await till.journal.finish(begun, { kind: "in-doubt", doubt: { code: "answer-late" } }, "register");
  expect(await told(till, "first", sale("first", "1"))).toBe("lane-stopped");
  expect((await till.journal.get(begun.id))?.state).toBe(state);
  const now = (await till.journal.get(begun.id)) ?? expect.unreachable();
  await till.journal.finish(now, { kind: "refused", refusal: { code: "not-registered" } }, "look-up");
  expect(await told(till, "first", sale("first", "1"))).toMatch(/^receipt 3/);
});
