import { describe, expect, it } from "vitest";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import type { Register } from "../../src/registers/register.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { type Copy, copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, Till, textOf } from "../support/till.ts";

const LOST = "the drive has documents of this server that the journal does not have";

interface Line {
  fields: unknown;
  text: string;
}

interface Scene {
  till: Till;
  lines: Line[];
  /** The numbers of the documents that the register was asked for, in order. */
  asked: number[];
  /** The outcome of such a question in place of its answer. */
  trouble: Map<number, "absent" | "unreachable" | "hangs" | "silent">;
  told: { lastDocumentNumber?: number };
}

async function scene(scheme: string, rules: Partial<StoreRules> = {}): Promise<Scene> {
  const lines: Line[] = [];
  const asked: number[] = [];
  const trouble: Scene["trouble"] = new Map();
  const told: Scene["told"] = {};
  let isSilent = false;
  const line = (register: Register): Register => ({
    identity: (deadline) => register.identity(deadline),
    async inspect(deadline) {
      if (isSilent) return { kind: "unreachable", reason: "молчит" };
      const seen = await register.inspect(deadline);
      return seen.kind === "reached" ? { kind: "reached", value: { ...seen.value, ...told } } : seen;
    },
    perform: (document, deadline) => register.perform(document, deadline),
    async lookUp(number, deadline) {
      asked.push(number);
      const befalls = trouble.get(number);
      isSilent = befalls === "silent";
      if (isSilent) return { kind: "unreachable", reason: "молчит" };
      if (befalls === "hangs") return new Promise(() => {});
      if (befalls === "unreachable") return { kind: "unreachable", reason: "занята" };
      return befalls === "absent" ? { kind: "absent" } : register.lookUp(number, deadline);
    },
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
  const log: Log = { ...silentLog, error: (fields: unknown, text: string) => lines.push({ fields, text }) } as Log;
  return { till: await Till.open({ trial: await Trial.begin(scheme), line, log, rules }), lines, asked, trouble, told };
}

async function sell(till: Till, ...ids: string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const id of ids) texts.push(textOf(await till.submitAndWait(saleOperation(id))));
  return texts;
}

/**
 * The largest number of turns for which a sale is refused because an unread document may be this sale. Then the
 * document is read, or taken to be broken.
 */
const MOST_TURNS = 8;

/** Repeats a sale until it is registered, as a cashier does. It must be refused at first. */
async function sellAtLast(till: Till, id: string): Promise<string> {
  for (let turn = 1; turn <= MOST_TURNS; turn += 1) {
    const [text = ""] = await sell(till, id);
    if (text !== "register-unreachable") return turn === 1 ? "not refused" : text;
  }
  return "never registered";
}

/** The shift's opening has number 2 (ФД), so the first sale has number 3. */
const SOLD = ["receipt 3", "receipt 4", "receipt 5"].map((text) => expect.stringContaining(text));
const IDS = ["sale-1", "sale-2", "sale-3"] as const;

describe.each(SCHEMES.slice(0, 2))("documents that a restored copy lacks, %s", (scheme) => {
  async function sold(): Promise<Scene & { copy: Copy }> {
    const made = await scene(scheme);
    await made.till.openShift();
    const copy = await copyOf(made.till.store);
    expect(await sell(made.till, ...IDS)).toEqual(SOLD);
    return { ...made, copy };
  }

  it("are missed by the process that had them in its memory when the copy was put there, and nothing more is sent", async () => {
    const { till, copy } = await sold();
    await restore(till.store, copy);
    for (const id of ["sale-4", "sale-2"]) {
      await expect(till.submit(saleOperation(id))).rejects.toMatchObject({ code: "database-gone", retrySafe: true });
    }
    expect(await till.documents()).toBe(5);
  });

  it("are found where the copy was made before the register made anything, also once the server has sold", async () => {
    const made = await scene(scheme);
    const empty = await copyOf(made.till.store);
    await made.till.openShift();
    expect(await sell(made.till, ...IDS)).toEqual(SOLD);
    await restore(made.till.store, empty);
    await made.till.killAndRestart();
    expect(textOf(await made.till.openShift())).toMatch(/^open-shift 2/);
    expect(await sell(made.till, "sale-4", "sale-2")).toEqual([expect.stringContaining("receipt 6"), SOLD[1]]);
    await made.till.killAndRestart();
    expect(await sell(made.till, "sale-1", "sale-3")).toEqual([SOLD[0], SOLD[2]]);
    expect(await made.till.documents()).toBe(6);
  });

  it("are found where the first that comes is a sale, and the copy does not know the drive", async () => {
    const made = await scene(scheme, { shiftOpening: "automatic" });
    const empty = await copyOf(made.till.store);
    expect(await sell(made.till, ...IDS)).toEqual(SOLD);
    await restore(made.till.store, empty);
    await made.till.killAndRestart();
    expect(await sell(made.till, "sale-3", "sale-1", "sale-2")).toEqual([SOLD[2], SOLD[0], SOLD[1]]);
    expect(await made.till.documents()).toBe(5);
  });

  it("are found after processes that died while they read", async () => {
    const { till, copy, trouble, asked } = await sold();
    await restore(till.store, copy);
    for (const number of [3, 4, 5]) {
      await till.killAndRestart();
      trouble.set(number, "hangs");
      void till.submit(saleOperation("sale-1"));
      await till.settled();
      expect(asked.at(-1)).toBe(number);
      trouble.delete(number);
    }
    await till.killAndRestart();
    expect(await sell(till, "sale-3", "sale-1", "sale-2")).toEqual([SOLD[2], SOLD[0], SOLD[1]]);
    expect(await till.documents()).toBe(5);
  });

  it("are found although the register said in between that it has none of them, or did not give them", async () => {
    const { till, copy, trouble } = await sold();
    await restore(till.store, copy);
    await till.killAndRestart();
    trouble.set(3, "absent").set(4, "unreachable");
    expect(await sellAtLast(till, "sale-4")).toContain("receipt 6");
    trouble.clear();
    expect(await sell(till, "sale-1", "sale-2", "sale-3")).toEqual(SOLD);
    expect(await till.documents()).toBe(6);
  });

  it("are not made again while the register does not give them, however often it fails", async () => {
    const { till, copy, trouble } = await sold();
    await restore(till.store, copy);
    await till.killAndRestart();
    for (let turn = 1; turn <= 4; turn += 1) {
      trouble.set(3, "unreachable");
      expect(await sell(till, "sale-1")).toEqual(["register-unreachable"]);
    }
    trouble.clear();
    expect(await sell(till, "sale-1", "sale-2", "sale-3")).toEqual(SOLD);
    expect(await till.documents()).toBe(5);
  });

  it("are found once the register gives them again, in the same process, where it gave none for a while", async () => {
    const { till, copy, trouble, lines } = await sold();
    await restore(till.store, copy);
    await till.killAndRestart();
    for (const number of [1, 2, 3, 4, 5, 6]) trouble.set(number, "unreachable");
    expect(await sellAtLast(till, "sale-4")).toContain("receipt 6");
    expect(lines.length).toBeLessThanOrEqual(4);
    trouble.clear();
    expect(await sell(till, "sale-1", "sale-2", "sale-3")).toEqual(SOLD);
    expect(await till.documents()).toBe(6);
  });

  it("are found although the register's status is older than its drive", async () => {
    const { till, copy, told } = await sold();
    await restore(till.store, copy);
    await till.killAndRestart();
    told.lastDocumentNumber = 4;
    expect(await sell(till, "sale-3")).toEqual([SOLD[2]]);
    delete told.lastDocumentNumber;
    expect(await till.documents()).toBe(5);
  });

  it("are not made again where the status is older than the drive and what stands behind it is not given", async () => {
    const { till, copy, told, trouble } = await sold();
    await restore(till.store, copy);
    await till.killAndRestart();
    told.lastDocumentNumber = 4;
    trouble.set(5, "unreachable");
    expect(await sell(till, "sale-3")).toEqual(["register-unreachable"]);
    trouble.clear();
    expect(await sell(till, "sale-3")).toEqual([SOLD[2]]);
    delete told.lastDocumentNumber;
    expect(await till.documents()).toBe(5);
  });

  it("do not stop the till for ever where the register never says that its drive ends", async () => {
    const { till, trouble } = await sold();
    await till.killAndRestart();
    for (const number of [6, 7]) trouble.set(number, "unreachable");
    expect(await sellAtLast(till, "sale-4")).toContain("receipt 6");
    expect(await sell(till, "sale-5")).toEqual([expect.stringContaining("receipt 7")]);
    expect(await till.documents()).toBe(7);
  });

  it("are waited for where the register falls silent while it is asked for the end of its drive", async () => {
    const { till, trouble } = await sold();
    await till.killAndRestart();
    trouble.set(6, "unreachable").set(5, "silent");
    expect(await sell(till, "sale-4")).toEqual(["register-unreachable"]);
    expect(await till.documents()).toBe(5);
  });

  it("are nothing to wait for where the register gives no document at all", async () => {
    const { till, trouble, asked } = await sold();
    await till.killAndRestart();
    for (let number = 1; number < 20; number += 1) trouble.set(number, "unreachable");
    for (let number = 6; number < 12; number += 1) {
      expect(await sell(till, `sale-${number}`)).toEqual([expect.stringContaining(`receipt ${number}`)]);
    }
    const before = asked.length;
    expect(await sell(till, "sale-12")).toEqual([expect.stringContaining("receipt 12")]);
    expect(asked.slice(before).filter((number) => number > 5)).toEqual([]);
  });

  it("are named once in the log, and read once, however often the server starts", async () => {
    const { till, copy, lines, asked } = await sold();
    await restore(till.store, copy);
    for (let start = 0; start < 3; start += 1) {
      await till.killAndRestart();
      await till.submitAndWait(cashOperation("cash-in", `in-${start}`, 100));
    }
    expect(lines.filter(({ text }) => text === LOST)).toMatchObject([{ fields: { documents: [3, 4, 5] } }]);
    for (const number of [3, 4, 5]) expect(asked.filter((one) => one === number)).toHaveLength(1);
  });
});

describe("documents far behind", () => {
  async function farBehind(between: number): Promise<Scene> {
    const made = await scene(SCHEMES[0] ?? "");
    await made.till.openShift();
    const copy = await copyOf(made.till.store);
    expect(await sell(made.till, ...IDS)).toEqual(SOLD);
    for (let number = 0; number < between; number += 1) await made.till.trial.perform(receiptDocument({ reference: "by hand" }));
    await restore(made.till.store, copy);
    await made.till.killAndRestart();
    return made;
  }

  it("are found however many were made since: nothing is registered before all of them are read", async () => {
    const { till, asked } = await farBehind(1_600);
    const ends: string[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) ends.push(...(await sell(till, "sale-4", "sale-1")));
    const made = expect.stringContaining("receipt 1606");
    expect(ends).toEqual(["register-unreachable", SOLD[0], "register-unreachable", SOLD[0], made, SOLD[0]]);
    expect(await till.documents()).toBe(1_606);
    expect(asked.length).toBeLessThan(1_620);
    await till.killAndRestart();
    expect(await sell(till, "sale-2", "sale-3")).toEqual([SOLD[1], SOLD[2]]);
  });

  it("are found after a start that has sold since, however much", async () => {
    const { till } = await farBehind(0);
    expect(await sell(till, "sale-4")).toEqual([expect.stringContaining("receipt 6")]);
    for (let number = 0; number < 520; number += 1) await till.trial.perform(receiptDocument({ reference: "by hand" }));
    await till.killAndRestart();
    await sell(till, "sale-5");
    await till.killAndRestart();
    expect(await sell(till, ...IDS)).toEqual(SOLD);
  });
});
