import { describe, expect, it } from "vitest";
import type { Log } from "../../src/kernel/log.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Operation } from "../../src/model/operation.ts";
import { type ForgetfulDrive, forgetfulTrial } from "../support/forgetful-drive.ts";
import { once } from "../support/registers.ts";
import { cashOperation, RULES, SHIFT, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const RETURN = { ...saleOperation("return-1"), kind: "sales-return" as const };
const BY_CARD = { ...SALE.payments, cashKopecks: 0, cardKopecks: 10_980 };
const NEXT_SHIFT = { id: "shift-2", idType: "native" as const };

interface Scene {
  till: Till;
  drive: ForgetfulDrive;
  /** The lines of the log at level error. */
  errors: string[];
}

async function scene(shiftOpening: "platform" | "automatic" = "platform"): Promise<Scene> {
  const { trial, drive } = await forgetfulTrial();
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (_: unknown, text: string) => void errors.push(text) } as Log;
  return { till: await Till.open({ trial, log, rules: { ...RULES, shiftOpening } }), drive, errors };
}

async function told(till: Till, ...operations: Operation[]): Promise<string[]> {
  const texts: string[] = [];
  for (const operation of operations) texts.push(textOf(await till.submitAndWait(operation)));
  return texts;
}

/** Cases in which the newest document does not belong to the newest entry. Each leaves a shift open. */
const WAYS: [string, "platform" | "automatic", (scene: Scene) => Promise<void>][] = [
  [
    "a sale that was refused before its shift was opened",
    "platform",
    async ({ till }) => {
      expect(await told(till, SALE, shiftOperation("open-shift"), SALE)).toEqual([
        "shift-closed",
        found("open-shift 2"),
        found("receipt 3"),
      ]);
    },
  ],
  [
    "a return that was refused for want of cash",
    "platform",
    async ({ till }) => {
      const operations = [shiftOperation("open-shift"), RETURN, SALE, RETURN];
      expect(await told(till, ...operations)).toEqual([found("open-shift 2"), "cash-short", found("receipt 3"), found("receipt 4")]);
    },
  ],
  [
    "an opening that was refused for want of paper, while the next shift's was not",
    "platform",
    async ({ till }) => {
      await told(till, shiftOperation("open-shift"));
      const next = shiftOperation("open-shift", { shift: NEXT_SHIFT, document: NEXT_SHIFT, name: "00002" });
      expect(await told(till, next, shiftOperation("close-shift"), next)).toEqual([
        "shift-already-open",
        found("close-shift 3"),
        found("open-shift 4"),
      ]);
    },
  ],
  [
    "an opening that the server made for a sale, and the platform's that came later",
    "automatic",
    async ({ till }) => {
      expect(await told(till, SALE, shiftOperation("open-shift"))).toEqual([found("receipt 3"), found("open-shift 2")]);
    },
  ],
  [
    "a sale that waited for one whose turn had begun, and was in the journal before it",
    "platform",
    async ({ till }) => {
      await till.openShift();
      till.trial.inject({ before: once("state", { kind: "wait", forMs: 500 }) });
      const both = [till.submit(SALE), till.submit(saleOperation("sale-2"))];
      await till.settled();
      expect((await Promise.all(both)).map(textOf)).toEqual([found("receipt 3"), found("receipt 4")]);
      // The second entry has the newest document, and the first is the newest entry.
      expect((await till.journal.list({ limit: 1 })).map(({ key }) => key.documentId)).toEqual(["sale-1"]);
    },
  ],
  [
    "a sale that an older copy of the database lacked, and that was found in the drive when it came again",
    "platform",
    async ({ till }) => {
      const before = await Till.open({ trial: till.trial });
      await till.openShift();
      const [opening] = await till.journal.list({ limit: 1 });
      if (opening?.checkpoint === undefined || opening.facts === undefined) throw new Error("no shift was opened");
      const begun = await before.journal.begin(opening, opening.checkpoint);
      await before.journal.finish(begun, { kind: "done", facts: opening.facts }, "register");
      await told(before, SALE);
      expect(await told(till, saleOperation("sale-2"), SALE)).toEqual([found("receipt 4"), found("receipt 3")]);
    },
  ],
];

function found(text: string) {
  return expect.stringMatching(new RegExp(`^${text}\\b`));
}

describe.each(WAYS)("the newest document of a drive, after %s", (_what, shiftOpening, way) => {
  const next = { ...saleOperation("next", { payments: BY_CARD }) };

  it("is the one with the highest number, and the journal lacks none", async () => {
    const { till, errors, ...rest } = await scene(shiftOpening);
    await way({ till, errors, ...rest });
    const shift = (await openShiftOf(till)) ?? SHIFT;
    const documents = await till.documents();
    errors.length = 0;
    for (let nth = 1; nth <= 3; nth += 1) {
      const sale = saleOperation(`next-${nth}`, { payments: BY_CARD, shift });
      expect(await told(till, sale)).toEqual([found(`receipt ${documents + nth}`)]);
    }
    expect(errors).toEqual([]);
  });

  it.each([1, 2])("is missed when the drive forgets it, with %i others at most: no number is issued twice", async (forgotten) => {
    const { till, drive, errors } = await scene(shiftOpening);
    await way({ till, drive, errors });
    const shift = (await openShiftOf(till)) ?? SHIFT;
    const documents = await till.documents();
    errors.length = 0;
    drive.forget(forgotten);
    await till.trial.restart();
    for (const operation of [
      { ...next, shift },
      shiftOperation("close-shift", { shift, document: shift }),
      cashOperation("cash-in", "in-9", 100, { shift }),
    ]) {
      expect(await told(till, operation)).toEqual(["register-went-back"]);
    }
    expect(await till.documents()).toBe(documents - forgotten);
    await till.killAndRestart();
    expect(await told(till, { ...next, shift })).toEqual(["register-went-back"]);
    expect(errors.every((text) => text === "the register has lost documents; the lane waits for a person")).toBe(true);
  });
});

/** The platform's shift to which the open shift belongs. */
async function openShiftOf(till: Till) {
  const openings = await till.journal.list({ state: "done", limit: 20 });
  const shifts = openings.filter(({ key }) => key.operation === "open-shift" || key.operation === "auto-open-shift");
  return shifts.toSorted((a, b) => (b.facts?.shiftNumber ?? 0) - (a.facts?.shiftNumber ?? 0))[0]?.operation.shift;
}
