import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import { explain } from "../../src/cli/journal/explain.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { EXTENT } from "../support/extent.ts";
import { checkpoint, entryContent, entryKey } from "../support/journal-entries.ts";

const EARLIER = MIGRATIONS.filter(({ version }) => version < 7);
/** More entries than are read together. `npm test` writes so many only into the database in memory, which is the fastest. */
const MANY = 1_203;
const FEW = 13;

for (const kind of TRIED_DATABASES) {
  describeDatabase("sentences of a database of version 6", kind, () => {
    const entryCount = EXTENT === "long" || !kind.shared ? MANY : FEW;
    let database: TestDatabase;
    afterEach(() => database.drop());

    it(`become data, and what is not understood keeps its words (${kind.title})`, async () => {
      database = await kind.makeEmpty();
      const store = await database.open();
      const { options } = database;
      const schema = options.kind === "postgres" && options.schema !== undefined ? { schema: options.schema } : {};
      await migrate({ db: store.db, kind: store.kind, ...schema }, EARLIER, systemClock);
      const journal = new Journal({ store, clock: systemClock });
      await store.db.transaction().execute(async (tx) => {
        for (let id = 1; id <= entryCount; id += 1) {
          await write({ db: tx, kind: store.kind }, id, id === 2 ? "COM3: the line is gone" : `У чека ФД № ${id} другая сумма`);
        }
      });
      await store.migrate();
      const entries = await journal.unfinished();
      expect(entries.map(({ doubt }) => doubt)).toEqual(
        entries.map(({ id }) => (id === 2 ? { code: "words-only", words: "COM3: the line is gone" } : { code: "sum-differs", number: id })),
      );
      expect(entries).toHaveLength(entryCount);
      for (const id of [1, 2, entryCount]) {
        const { doubt } = entries.find((entry) => entry.id === id) ?? {};
        const [sent, doubted] = await journal.moves(id);
        expect(sent).not.toHaveProperty("reasons");
        expect(doubted?.reasons).toEqual([{ code: "doubt", doubt }]);
      }
      expect(await explained(journal, 2)).toContain("Unknown because: COM3: the line is gone (in words of an earlier version)");
      expect(await explained(journal, 1)).toContain("Unknown because: У чека ФД № 1 другая сумма");
    });
  });
}

async function explained(journal: Journal, id: number): Promise<string[]> {
  const entry = await journal.get(id);
  if (entry === undefined) throw new Error(`no entry ${id}`);
  const lines: string[] = [];
  await explain(journal, entry, 0, { out: (text) => lines.push(text), err: () => {}, signal: new AbortController().signal });
  return lines;
}

/** An entry in doubt as a program of version 6 has written it. */
async function write({ db, kind }: Pick<Store, "db" | "kind">, id: number, doubt: string): Promise<void> {
  const key = entryKey({ operation: "sale", accountId: "a", documentId: `old-${id}` });
  const content = entryContent({ key, register: "emulator:old", twinHash: `twin ${id}` });
  const override = sql.raw(kind === "postgres" ? "overriding system value" : "");
  await sql`
    insert into entries (id, app_id, account_id, operation, document_id, id_type, store_id, register, state, attempt, content_hash, twin,
      paper, accepted_at_ms, moved_at_ms, content, document, checkpoint, doubt) ${override}
    values (${id}, ${key.appId}, ${key.accountId}, ${key.operation}, ${key.documentId}, ${content.idType}, ${content.operation.storeId},
      ${content.register}, 'in-doubt', 1, ${content.contentHash}, ${content.twinHash}, ${content.paper}, 1, 1,
      ${JSON.stringify(content.operation)}, ${JSON.stringify(content.document)}, ${JSON.stringify(checkpoint())}, ${doubt})`.execute(db);
  for (const [to, note] of [
    ["sending", null],
    ["in-doubt", doubt],
  ] as const) {
    await sql`insert into moves (entry_id, attempt, to_state, from_state, at_ms, by, note) values (${id}, 1, ${to}, null, 1, 'register', ${note})`.execute(
      db,
    );
  }
}
