import { describe, expect, it, onTestFinished } from "vitest";
import { Housekeeping } from "../../../src/app/housekeeping.ts";
import type { Entry } from "../../../src/journal/entry.ts";
import { Journal, type JournalStore } from "../../../src/journal/journal.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { type Log, silentLog } from "../../../src/kernel/log.ts";
import { DayParts } from "../../../src/store/day-parts.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../../support/journal-entries.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const START_MS = Date.parse("2026-03-02T09:00:00Z");
const DAY_MS = 86_400_000;
const ROUND_MS = 6 * 3_600_000;
/** In so many turns of the event loop a round ends, because a database in memory needs no time. */
const ROUND_TURNS = 50;

/** A journal in memory whose commits fail as often as the test says, and the log of the housekeeping. */
async function beginHouse() {
  const clock = new VirtualClock(START_MS);
  const store = await openMemoryStore({ clock });
  onTestFinished(() => store.close());
  const trouble = { failingCommits: 0 };
  const unreliable: JournalStore = {
    read: (work) => store.read(work),
    commit: (work) => {
      if (trouble.failingCommits === 0) return store.commit(work);
      trouble.failingCommits -= 1;
      return Promise.reject(new Failure("database-failed", "dependency", "the disk is full", { retrySafe: true }));
    },
  };
  const said: string[] = [];
  const note = (level: string) => (values: Record<string, unknown>, text: string) =>
    void said.push(`${level} ${JSON.stringify(values)} ${text}`);
  const log: Log = { ...silentLog, info: note("info"), error: note("error") };
  const journal = new Journal({ store, clock });
  const housekeeping = new Housekeeping({ journal: new Journal({ store: unreliable, clock }), days: new DayParts(store), clock, log });
  return { clock, journal, housekeeping, trouble, said };
}

type House = Awaited<ReturnType<typeof beginHouse>>;

/** Makes a done sale that is answered now. */
async function answered({ journal }: House, documentId: string): Promise<Entry> {
  const begun = await journal.begin(entryContent({ key: entryKey({ documentId }) }), checkpoint());
  const done = await journal.finish(begun, { kind: "done", facts: saleFacts() }, "register");
  await journal.storeAnswer(done, Buffer.from(`answer to ${documentId}`));
  return done;
}

async function answerOf({ journal }: House, entry: Entry): Promise<string | undefined> {
  return (await journal.answerOf(entry.id))?.toString();
}

async function endOfRound({ clock }: House): Promise<void> {
  for (let turn = 0; turn < ROUND_TURNS; turn += 1) await clock.advance(0);
}

describe("housekeeping", () => {
  it("drops answers older than 90 days at the start, keeps the younger, and every entry stays", async () => {
    const house = await beginHouse();
    const old = await answered(house, "old");
    await house.clock.advance(1);
    const young = await answered(house, "young");
    await house.clock.advance(90 * DAY_MS);
    house.housekeeping.start();
    await house.housekeeping.close();
    expect([await answerOf(house, old), await answerOf(house, young)]).toEqual([undefined, "answer to young"]);
    expect([await house.journal.get(old.id), await house.journal.get(young.id)]).toEqual([old, young]);
    expect(house.said).toEqual(['info {"dropped":1} old answers dropped; their facts stay']);
  });

  it("goes on every six hours, and says nothing when there is nothing to drop", async () => {
    const house = await beginHouse();
    const entry = await answered(house, "sale");
    house.housekeeping.start();
    await endOfRound(house);
    await house.clock.advance(90 * DAY_MS);
    await endOfRound(house);
    expect(await answerOf(house, entry)).toBe("answer to sale");
    expect(house.said).toEqual([]);
    await house.clock.advance(ROUND_MS);
    await endOfRound(house);
    expect(await answerOf(house, entry)).toBeUndefined();
    await house.housekeeping.close();
  });

  it("drops more than fits into one transaction in one round", async () => {
    const house = await beginHouse();
    const entries: Entry[] = [];
    for (let i = 0; i < 120; i += 1) entries.push(await answered(house, `sale-${i}`));
    await house.clock.advance(91 * DAY_MS);
    house.housekeeping.start();
    await house.housekeeping.close();
    const left = await Promise.all(entries.map((entry) => answerOf(house, entry)));
    expect(left.filter((answer) => answer !== undefined)).toEqual([]);
    expect(house.said).toEqual(['info {"dropped":120} old answers dropped; their facts stay']);
  });

  it("tells of a database that fails, and its next round comes all the same", async () => {
    const house = await beginHouse();
    const entry = await answered(house, "sale");
    await house.clock.advance(91 * DAY_MS);
    house.trouble.failingCommits = 1;
    house.housekeeping.start();
    await endOfRound(house);
    expect(house.said).toEqual(['error {"error":"the disk is full"} old answers could not be dropped']);
    expect(await answerOf(house, entry)).toBe("answer to sale");
    await house.clock.advance(ROUND_MS);
    await endOfRound(house);
    expect(await answerOf(house, entry)).toBeUndefined();
    await house.housekeeping.close();
  });

  it("does nothing any more once it is closed", async () => {
    const house = await beginHouse();
    const entry = await answered(house, "sale");
    house.housekeeping.start();
    await house.housekeeping.close();
    await house.clock.advance(100 * DAY_MS);
    await endOfRound(house);
    expect(await answerOf(house, entry)).toBe("answer to sale");
  });
});
