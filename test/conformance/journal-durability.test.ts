import { afterAll, beforeAll, expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { startChild } from "../support/child.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { extent } from "../support/extent.ts";
import { entryKey } from "../support/journal-entries.ts";

/** The number of lines that the writer prints before it is killed. */
const SAID = extent({ short: 16, long: 40 });

for (const kind of DATABASE_KINDS.filter((one) => one.shared)) {
  describeDatabase("a journal whose process is killed", kind, () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await kind.make();
      const store = await database.open();
      await store.migrate();
      await store.close();
    });
    afterAll(() => database.drop());

    it(`holds everything that was said to be committed, and no half of a commit (${kind.title})`, async () => {
      const child = startChild("journal-writer.ts", JSON.stringify(database.options));
      const said: string[] = [];
      for (let count = 0; count < SAID; count += 1) said.push(String((await child.lines.next()).value));
      await child.kill();
      for (let line = await child.lines.next(); line.done !== true; line = await child.lines.next()) said.push(line.value);

      const journal = new Journal({ store: await database.open(), clock: systemClock });
      for (const line of said) {
        const [what, number] = line.split(" ");
        const entry = await journal.find(entryKey({ documentId: `sale-${number}` }));
        expect(entry?.state).toMatch(what === "sending" ? /^(sending|done)$/ : /^done$/);
        const answer = what === "answered" && entry !== undefined ? await journal.answerOf(entry.id) : undefined;
        if (what === "answered") expect(answer).toEqual(Buffer.alloc(30_000, Number(number) % 256));
      }
      const all = await journal.list({ limit: 1_000 });
      expect(all.length).toBeGreaterThanOrEqual(Math.floor(SAID / 3));
      for (const entry of all) {
        const moves = await journal.moves(entry.id);
        expect(moves.map((move) => move.to)).toEqual(entry.state === "done" ? ["sending", "done"] : ["sending"]);
        expect(entry.facts === undefined).toBe(entry.state !== "done");
      }
      expect((await journal.unfinished()).length).toBeLessThanOrEqual(1);
    });
  });
}
