import { beforeEach, describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../src/model/document.ts";
import { cashDocument, reportDocument, sampleSale, shiftDocument } from "../support/register-documents.ts";
import { refusalCode, TRIED_REGISTERS, Trial } from "../support/registers.ts";

/** One document of each kind that a register may be asked for in an open shift. */
const DOCUMENTS: readonly [string, RegisterDocument][] = [
  ["a receipt", sampleSale()],
  ["cash that comes in", cashDocument("cash-in", 10_000)],
  ["the closing of the shift", shiftDocument("close-shift")],
  ["an X report", reportDocument("x-report")],
];

describe.each(TRIED_REGISTERS)("a document that may not be registered, at %s,", (scheme) => {
  let t: Trial;

  beforeEach(async () => {
    t = await Trial.begin(scheme);
    await t.openShift();
  });

  it.each(DOCUMENTS)("is refused and leaves nothing behind: %s", async (_what, document) => {
    const before = await t.state();
    const asked: number[] = [];
    const mayRegister = async () => {
      asked.push((await t.device.look()).memory.lastDocumentNumber);
      return false;
    };
    const outcome = await t.settled(t.register.perform(document, t.deadline, { id: "attempt-1", mayRegister }));
    expect(refusalCode(outcome)).toBe("register-unreachable");
    // The permission was asked for once, before anything was made.
    expect(asked).toEqual([before.lastDocumentNumber]);
    expect(await t.state()).toMatchObject({
      lastDocumentNumber: before.lastDocumentNumber,
      drawerKopecks: before.drawerKopecks,
      shift: { kind: "open" },
      documentOpen: false,
    });
    const allowed = await t.settled(t.register.perform(document, t.deadline, { id: "attempt-2", mayRegister: async () => true }));
    expect(allowed.kind).toBe("done");
  });
});
