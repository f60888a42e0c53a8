import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditLines, OPERATOR } from "../../src/accounts/audit.ts";
import { settle } from "../../src/cli/journal/settle.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { afterPerson, dueWhenWrong } from "../../src/operator/due.ts";
import { type SettlingServices, type Statement, settleByHand } from "../../src/operator/settling/settle-by-hand.ts";
import type { Store } from "../../src/store/database.ts";
import { checkpoint, entryContent, entryKey, IDENTITY, saleFacts } from "../support/journal-entries.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const READ_OFF = { documentNumber: 42, fiscalSign: "2134567890", time: "2026-03-02 10:15:00", shiftNumber: 7, receiptNumber: 12 };
const DONE: Statement = { claim: { kind: "done", readOff: READ_OFF }, identity: IDENTITY, unconfirmed: true, again: false };
const REFUSED: Statement = { claim: { kind: "refused" }, said: "no paper came out", unconfirmed: true, again: false };

describe("a doubt that a person settles", () => {
  let store: Store;
  let journal: Journal;
  let services: SettlingServices;

  beforeEach(async () => {
    store = await openMemoryStore();
    const clock = new VirtualClock(Date.UTC(2026, 2, 2, 3, 15));
    journal = new Journal({ store, clock });
    services = { journal, clock, ask: () => Promise.reject(new Failure("store-locked", "caller", "a server has the register")) };
  });
  afterEach(() => store.close());

  async function doubtful(documentId = "sale-1"): Promise<Entry> {
    const sending = await journal.begin(entryContent({ key: entryKey({ documentId }) }), checkpoint());
    return journal.finish(sending, { kind: "in-doubt", doubt: { code: "answer-late" } }, "register");
  }

  async function settled(entry: Entry, statement: Statement) {
    const result = await settleByHand(services, entry, statement, OPERATOR);
    if (result.kind !== "settled") throw new Error(`not settled: ${result.because.code}`);
    return result;
  }

  it.each([
    ["as refused", [REFUSED], "missing"],
    ["as done", [DONE], "doubled"],
    ["as refused, and then as done", [REFUSED, { ...DONE, again: true }], "doubled"],
    ["as done, and then as refused", [DONE, { ...REFUSED, again: true }], "missing"],
  ] as const)("%s comes back with what is due, as it is explained later", async (_how, statements, kind) => {
    let entry = await doubtful();
    for (const statement of statements) {
      const result = await settled(entry, statement);
      entry = result.entry;
      expect(result.due).toEqual({ after: afterPerson(entry, await journal.moves(entry.id)) });
    }
    expect(afterPerson(entry, await journal.moves(entry.id))?.kind).toBe(kind);
  });

  it("comes back with the attempt before it, which a person had settled as not registered", async () => {
    await settled(await doubtful(), REFUSED);
    const second = await doubtful();
    expect(second.attempt).toBe(2);
    expect((await settled(second, DONE)).due.after).toMatchObject({ kind: "doubled", earlierAttempt: true });
  });

  it("may get another document number with the same receipt number: its first figures are no neighbour of the new ones", async () => {
    const { entry } = await settled(await doubtful(), DONE);
    const readOff = { ...READ_OFF, documentNumber: 43 };
    const { entry: replaced } = await settled(entry, { ...DONE, claim: { kind: "done", readOff }, again: true });
    expect(replaced.facts).toMatchObject({ documentNumber: 43, receipt: { number: 12 } });
  });

  it("comes back with the two corrections that another sum needs", async () => {
    const facts = saleFacts({ receipt: { number: 12, sign: 1, totalKopecks: 39_003 } });
    const register = { identity: IDENTITY, now: "2026-03-02 10:16:00" };
    services = { ...services, ask: () => Promise.resolve({ kind: "confirms", facts, register }) };
    const { entry, due } = await settled(await doubtful(), DONE);
    expect(due.wrong).toEqual(dueWhenWrong(entry));
    expect(due.wrong).toMatchObject({ undo: 2, redo: { sign: 1, totalKopecks: 39_002 } });
  });

  it("leaves a line of the audit in the commit that ends it, also when a statement is replaced, and none when nothing was settled", async () => {
    const entry = await doubtful();
    await settleByHand(services, entry, { ...DONE, claim: { kind: "done", readOff: { ...READ_OFF, documentNumber: 1 } } }, OPERATOR);
    expect(await auditLines(store, { limit: 10 })).toEqual([]);
    const { entry: ended } = await settled(entry, REFUSED);
    await settled(ended, { ...DONE, again: true });
    const said = { actor: "operator", place: "command", act: "settle", subject: "sale-1", storeId: entry.operation.storeId };
    expect(await auditLines(store, { limit: 10 })).toMatchObject([
      { ...said, before: "refused", after: "done" },
      { ...said, before: "in-doubt", after: "refused", reason: "no paper came out" },
    ]);
  });

  it("is told on standard error before its register is asked, which may take seconds", async () => {
    const entry = await doubtful();
    const err: string[] = [];
    const told: string[][] = [];
    services = {
      ...services,
      ask: () => {
        told.push([...err]);
        return Promise.reject(new Failure("store-locked", "caller", "a server has the register"));
      },
    };
    const io = { out: () => {}, err: (text: string) => err.push(text), signal: new AbortController().signal };
    const { fiscalSign: sign, time } = READ_OFF;
    const texts = { number: "42", sign, time, shift: "7" };
    const asked = { unconfirmed: false, again: false };
    expect(await settle(services, entry, { kind: "done", texts, ...asked }, io)).toBe(1);
    expect(await settle(services, entry, { kind: "refused", why: "no paper came out", ...asked }, io)).toBe(1);
    expect(told.map((lines) => lines.at(-1))).toEqual([
      "Asking emulator:bakery-north-1 whether its document 42 is that of entry 1…",
      "Asking emulator:bakery-north-1 whether it has registered nothing for entry 1…",
    ]);
  });
});
