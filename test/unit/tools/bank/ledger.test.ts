import { expect, it } from "vitest";
import { Ledger } from "../../../../src/tools/bank/engine/ledger.ts";
import type { Change } from "../../../../src/tools/bank/engine/ledger-file.ts";

it("the ledger of a fake bank reveals nothing more after a write has failed", () => {
  const written: (readonly Change[])[] = [];
  let isFull = true;
  const append = (changes: readonly Change[]) => {
    if (isFull) throw new Error("the disk is full");
    written.push(changes);
  };
  const ledger = new Ledger(1, { append, close() {} }, []);
  ledger.commit();
  ledger.advanced(1_000);
  expect(() => ledger.commit()).toThrow("the disk is full");
  isFull = false;
  expect(() => ledger.commit()).toThrow("the disk is full");
  ledger.advanced(2_000);
  expect(() => ledger.commit()).toThrow("the disk is full");
  expect(written).toEqual([]);
});
