import { afterAll, beforeAll, expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";

for (const kind of DATABASE_KINDS) {
  describeDatabase("the fence of a journal", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    const content = () => entryContent({ key: entryKey({ documentId: systemChance.uuid() }), twinHash: systemChance.uuid() });

    it("records no intention to send while the register is not held, and everything else", async () => {
      const asked: string[] = [];
      let held = false;
      const fence = async (_tx: unknown, register: string) => {
        asked.push(register);
        return held;
      };
      const journal = new Journal({ store, clock: systemClock, fence });
      const [sold, waiting] = [content(), content()];
      await expect(journal.begin(sold, checkpoint())).rejects.toMatchObject({ code: "journal-fenced", retrySafe: true });
      expect(await journal.find(sold.key)).toBeUndefined();
      const queued = await journal.accept(waiting);
      await expect(journal.send(queued, checkpoint())).rejects.toMatchObject({ code: "journal-fenced" });
      expect(await journal.find(waiting.key)).toMatchObject({ state: "queued" });
      expect(asked).toEqual([sold.register, waiting.register]);

      held = true;
      const sending = await journal.begin(sold, checkpoint());
      held = false;
      // An outcome that has happened at the register counts, whichever process holds the register now.
      await journal.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: 1 }) }, "register");
      expect(await journal.find(sold.key)).toMatchObject({ state: "done" });
    });
  });
}
