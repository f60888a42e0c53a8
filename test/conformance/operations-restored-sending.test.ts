import { describe, expect, it } from "vitest";
import type { Operation, PlatformId } from "../../src/model/operation.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import type { Register } from "../../src/registers/register.ts";
import { sample } from "../support/extent.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { type Copy, copyOf, restore } from "../support/restored.ts";
import { saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** Calls back when a document is about to go to the register. At this moment a backup of a running server may be made. */
function whileSending(each: () => Promise<void>): (register: Register) => Register {
  return (register) => ({
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
    async perform(document, deadline) {
      await each();
      return await register.perform(document, deadline);
    },
  });
}

/** `copyNext`: the database is copied while the next document is at the register. `restoreCopy` puts it back and restarts. */
async function copiedTill(scheme: string) {
  let copy: Copy | undefined;
  let due = false;
  const keep = async () => {
    if (due) copy = await copyOf(till.store);
    due = false;
  };
  const till: Till = await Till.open({ trial: await Trial.begin(scheme), line: whileSending(keep) });
  const copyNext = () => {
    due = true;
  };
  const restoreCopy = async () => {
    if (copy === undefined) throw new Error("no copy was made");
    await restore(till.store, copy);
    await till.killAndRestart();
  };
  return { till, copyNext, restoreCopy };
}

it.each(SCHEMES)(
  "a copy that was made while a sale was at the register is restored, and every sale is found in the drive: %s",
  async (scheme) => {
    const { till, copyNext, restoreCopy } = await copiedTill(scheme);
    await till.openShift();
    copyNext();
    for (const id of ["sale-1", "sale-2"]) expect(textOf(await till.submitAndWait(saleOperation(id)))).toMatch(/^receipt/);
    await restoreCopy();
    expect((await till.journal.unfinished()).map(({ key, doubt }) => [key.documentId, doubt])).toEqual([]);
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-2")))).toMatch(/^receipt 4/);
    expect(textOf(await till.submitAndWait(saleOperation("sale-3")))).toMatch(/^receipt 5/);
  },
);

/** The kind and number of the document. */
const numberOf = (submitted: Submitted): string => textOf(submitted).split(" ").slice(0, 2).join(" ");

it.each(SCHEMES)("the same where the shift was being closed or opened, and sales followed: %s", async (scheme) => {
  for (const kind of ["close-shift", "open-shift"] as const) {
    const { till, copyNext, restoreCopy } = await copiedTill(scheme);
    await till.openShift();
    if (kind === "open-shift") await till.submitAndWait(shiftOperation("close-shift"));
    copyNext();
    const second = { id: "shift-2", idType: "native" } as const;
    const first =
      kind === "close-shift"
        ? await till.submitAndWait(shiftOperation("close-shift"))
        : await till.submitAndWait(shiftOperation(kind, { shift: second }));
    if (kind === "open-shift") expect(textOf(await till.submitAndWait(saleOperation("sale-1", { shift: second })))).toMatch(/^receipt/);
    await restoreCopy();
    expect((await till.journal.unfinished()).map(({ key, doubt }) => [key.documentId, doubt])).toEqual([]);
    const again = await till.submitAndWait(shiftOperation(kind, kind === "open-shift" ? { shift: second } : {}));
    expect(numberOf(again)).toBe(numberOf(first));
  }
});

/** More documents than are read for a doubt. */
const MANY = 15;
const CARD = { ...saleOperation("any").payments, cashKopecks: 0, cardKopecks: 10_980 };

const shiftNamed = (id: string): PlatformId => ({ id, idType: "native" });
const report = (kind: "open-shift" | "close-shift", id: string) =>
  shiftOperation(kind, { shift: shiftNamed(id), document: shiftNamed(id), name: id });

/** What is at the register while the copy is made, and what was made before it. */
const SENT: [string, Operation, Operation[]][] = [
  ["a sale", saleOperation("sale-1", { shift: shiftNamed("first") }), [report("open-shift", "first")]],
  ["a closing", report("close-shift", "first"), [report("open-shift", "first")]],
  ["an opening", report("open-shift", "second"), []],
];

describe.each(sample(SCHEMES.slice(0, 2), 1))("further shifts, and more documents than are read for one doubt, %s", (scheme) => {
  it.each(SENT)("followed before the copy was restored that was made while %s was at the register", async (_what, sent, before) => {
    const { till, copyNext, restoreCopy } = await copiedTill(scheme);
    for (const operation of before) await till.submitAndWait(operation);
    copyNext();
    const made = numberOf(await till.submitAndWait(sent));
    const followed = [
      ...(sent.kind === "sale" ? [report("close-shift", "first")] : []),
      ...(sent.kind === "open-shift" ? [] : [report("open-shift", "second")]),
      saleOperation("of the second", { shift: shiftNamed("second") }),
      report("close-shift", "second"),
      report("open-shift", "third"),
      ...Array.from({ length: MANY }, (_, at) => saleOperation(`later-${at}`, { shift: shiftNamed("third"), payments: CARD })),
    ];
    for (const operation of followed) expect(textOf(await till.submitAndWait(operation))).toMatch(/ \d/);
    const documents = await till.documents();
    await restoreCopy();
    expect((await till.journal.unfinished()).map(({ key, doubt }) => [key.documentId, doubt])).toEqual([]);
    expect(numberOf(await till.submitAndWait(sent))).toBe(made);
    const last = saleOperation(`later-${MANY - 1}`, { shift: shiftNamed("third"), payments: CARD });
    expect(numberOf(await till.submitAndWait(last))).toBe(`receipt ${documents}`);
    expect(await till.documents()).toBe(documents);
  });
});
