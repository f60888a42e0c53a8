import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { journalCommand } from "../../src/cli/journal.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import type { Store } from "../../src/store/database.ts";
import { checkpoint, entryContent, entryKey, openingFacts } from "../support/journal-entries.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { RULES } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

describe("the journal command", () => {
  let store: Store;
  let journal: Journal;
  let clock: VirtualClock;
  beforeEach(async () => {
    store = await openMemoryStore();
    clock = new VirtualClock(Date.UTC(2026, 2, 2, 3, 15));
    journal = new Journal({ store, clock });
  });
  afterEach(() => store.close());

  async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const said = { out: [] as string[], err: [] as string[] };
    const io = {
      out: (text: string) => said.out.push(text),
      err: (text: string) => said.err.push(text),
      signal: new AbortController().signal,
    };
    const choice = { registers: { parse: parseAddress }, rulesOf: async () => RULES };
    const code = await journalCommand({ open: async () => ({ journal, clock, choice, close: async () => {} }) }).run(args, io);
    return { code, out: said.out.join("\n"), err: said.err.join("\n") };
  }

  async function opening(): Promise<Entry> {
    const key = entryKey({ operation: "open-shift", documentId: "shift-1" });
    const sending = await journal.begin(entryContent({ key, document: { kind: "open-shift", reference: "r" } }), checkpoint());
    return journal.finish(sending, { kind: "done", facts: openingFacts() }, "register");
  }

  async function doubtfulSale(documentId: string): Promise<Entry> {
    const sending = await journal.begin(entryContent({ key: entryKey({ documentId }) }), checkpoint());
    return journal.finish(sending, { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } }, "register");
  }

  it("lists entries whose rows cannot be read, says what is wrong, and lists the others", async () => {
    const [{ id: long }, { id: spoilt }, { id: doubtful }] = [await opening(), await doubtfulSale("sale-1"), await doubtfulSale("sale-2")];
    const document = { kind: "open-shift", reference: "r", cashierName: "я".repeat(5_000) };
    const set = (id: number, columns: { document: string } | { doubt: string }) =>
      store.commit((tx) => tx.updateTable("entries").set(columns).where("id", "=", id).execute());
    await set(long, { document: JSON.stringify(document) });
    await set(spoilt, { doubt: '{"reason":"a buyer"' });
    await clock.advance(120_000);
    const { code, out, err } = await run("list");
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${doubtful}\\s.*\\sin-doubt\\s.*sale-2$`, "m"));
    expect(out).toMatch(new RegExp(`^${spoilt}\\s.*\\scannot be read\\s.*sale-1$`, "m"));
    expect(out).toMatch(new RegExp(`^${long}\\s.*\\sdone \\(document cannot be read\\)\\s.*shift-1$`, "m"));
    expect(out).toContain("1 waits for a person");
    expect(err).toContain(`Entry ${spoilt} cannot be read: Column doubt of row ${spoilt} in table entries cannot be read: it is no JSON`);
    expect(err).toContain(`Entry ${long} cannot be read: Column document of row ${long} in table entries cannot be read: cashierName`);
    expect(`${out}${err}`).not.toContain("a buyer");
  });

  it.each([
    ["doubt", '{"reason":"a buyer"'],
    ["document", '{"kind":"a buyer"}'],
    ["content", '{"kind":"a buyer"}'],
  ])("says of one entry what its plain columns say, and what is wrong: %s", async (column, value) => {
    const { id } = await doubtfulSale("sale-1");
    await store.commit((tx) =>
      tx
        .updateTable("entries")
        .set({ [column]: value })
        .where("id", "=", id)
        .execute(),
    );
    for (const key of [String(id), "sale-1"]) {
      for (const words of [
        ["show", key],
        ["show", key, "--raw"],
        ["explain", key],
        ["settle", key, "--refused", "--why", "no paper"],
      ]) {
        const { code, out, err } = await run(...words);
        expect([...words, code, out]).toEqual([...words, 1, ""]);
        expect(err).toContain(`The entry cannot be read: Column ${column} of row ${id} in table entries cannot be read`);
        expect(err).toMatch(new RegExp(`^ {2}${id}: .*document sale-1 of the account `, "m"));
        expect(err).not.toContain("a buyer");
      }
    }
  });
});
