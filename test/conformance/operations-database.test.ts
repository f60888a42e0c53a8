import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { HeldFiles } from "../../src/store/held-files.ts";
import { temporaryFolder } from "../support/registers.ts";
import { cashOperation, saleOperation, Till, textOf } from "../support/till.ts";

/** Reads or sets the number of pages, or its maximum, which acts like a full disk. */
async function pragma(till: Till, name: "page_count" | "max_page_count", value?: number): Promise<number> {
  const asked = value === undefined ? sql.raw(`pragma ${name}`) : sql.raw(`pragma ${name} = ${value}`);
  const { rows } = await till.store.read((db) => asked.execute(db));
  return Number(Object.values(rows[0] ?? {})[0]);
}

describe("a database whose disk is full", () => {
  it("takes no operation: nothing is sent, nothing is registered, and each repeat is made once there is room", async () => {
    const till = await Till.open();
    await till.openShift();
    const limit = await pragma(till, "max_page_count");
    await pragma(till, "max_page_count", await pragma(till, "page_count"));
    const failures = new Set<string>();
    // The last page still has room for a sale or two.
    for (let number = 1; number <= 12; number += 1) {
      const submitted = till.submit(saleOperation(`sale-${number}`)).then(textOf, (error: { code: string }) => error.code);
      await till.settled();
      failures.add((await submitted).replace(/^receipt.*/, "receipt"));
    }
    expect(failures).toContain("database-full");
    const documents = await till.documents();
    expect(documents).toBeLessThan(14);
    await pragma(till, "max_page_count", limit);
    for (let number = 1; number <= 12; number += 1) {
      expect(textOf(await till.submitAndWait(saleOperation(`sale-${number}`)))).toMatch(/^receipt/);
    }
    expect(await till.documents()).toBe(14);
  });
});

describe("a commit that hangs", () => {
  it("before the document is sent keeps it from the register; the till is told to repeat, and it is made once", async () => {
    const till = await Till.open();
    await till.openShift();
    const release = till.stallCommits();
    const sale = till.submit(saleOperation("sale-1"));
    await till.settled();
    expect(textOf(await sale)).toBe("running");
    expect([await till.documents(), await till.states()]).toEqual([2, ["open-shift done"]]);
    release();
    await till.settled();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("after the register has answered delays the answer, and the document is not made again", async () => {
    const till = await Till.open();
    await till.openShift();
    const release = till.stallCommits(1);
    const sale = till.submit(saleOperation("sale-1"));
    await till.settled();
    expect(textOf(await sale)).toBe("running");
    expect([await till.documents(), await till.states()]).toEqual([3, ["open-shift done", "sale sending"]]);
    const repeat = till.submit(saleOperation("sale-1"));
    release();
    await till.settled();
    expect(textOf(await repeat)).toMatch(/^receipt 3/);
    expect(await till.documents()).toBe(3);
  });

  it("when the server dies in it is settled by the next start", async () => {
    const till = await Till.open();
    await till.openShift();
    till.stallCommits(1);
    const dying = till.submit(cashOperation("cash-in", "in-1", 50_000));
    await till.settled();
    expect(textOf(await dying)).toBe("running");
    await till.killAndRestart();
    expect(textOf(await till.submitAndWait(cashOperation("cash-in", "in-1", 50_000)))).toMatch(/^cash-in 0/);
    expect((await till.trial.state()).drawerKopecks).toBe(50_000);
  });
});

describe("a database that was taken away", () => {
  /** A till with a database in a file, and a function that removes the file. */
  async function tillOnFile(): Promise<{ till: Till; takeAway(): Promise<void>; told: string[] }> {
    const file = join(await temporaryFolder(), "fiscal.sqlite");
    await writeFile(file, "");
    const told: string[] = [];
    const held = new HeldFiles((reason) => told.push(reason));
    held.hold(file);
    const till = await Till.open({ held });
    await till.openShift();
    return { till, takeAway: () => rm(file), told };
  }

  it("registers nothing from then on, and whoever runs the server is told once", async () => {
    const { till, takeAway, told } = await tillOnFile();
    await takeAway();
    for (const name of ["sale-1", "sale-2"])
      await expect(till.submit(saleOperation(name))).rejects.toMatchObject({ code: "database-gone" });
    expect([await till.documents(), await till.states()]).toEqual([2, ["open-shift done"]]);
    expect(told).toEqual([expect.stringContaining("was removed or renamed under the running server")]);
  });

  it("while a document is at the register still answers the till, which has the receipt", async () => {
    const { till, takeAway } = await tillOnFile();
    const release = till.stallCommits(1);
    const sale = till.submit(saleOperation("sale-1"));
    await till.settled();
    await takeAway();
    release();
    await till.settled();
    expect(textOf(await till.submitAndWait(saleOperation("sale-1")))).toMatch(/^receipt 3/);
    await sale;
    await expect(till.submit(saleOperation("sale-2"))).rejects.toMatchObject({ code: "database-gone" });
    expect(await till.documents()).toBe(3);
  });
});
