import { type CompiledQuery, type Kysely, sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EntryContent } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { returnsOf } from "../../src/journal/return-queries.ts";
import type { Store } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import type { Tables } from "../../src/store/tables.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { entryContent, entryKey } from "../support/journal-entries.ts";
import { saleOperation } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SALE = "sale-1";
/** Without many other returns, and without statistics about them, PostgreSQL may prefer another index. */
const OTHER_RETURNS = 3_000;

function returnContent(documentId: string, more: Partial<EntryContent["key"]> = {}, saleId: string | null = SALE): EntryContent {
  const original = saleId === null ? {} : { original: { id: saleId, idType: "native" as const } };
  const operation = { ...saleOperation(documentId), kind: "sales-return" as const, ...original };
  return entryContent({ key: entryKey({ operation: "sales-return", documentId, ...more }), operation });
}

for (const kind of TRIED_DATABASES) {
  describeDatabase("the returns of a sale, in the journal", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let journal: Journal;

    beforeAll(async () => {
      database = await kind.makeEmpty();
      store = await database.open();
      // Entries of an earlier version of the server: returns that name a sale, if they have one, only in the request.
      const clock = new VirtualClock(1_772_435_700_000);
      const before = MIGRATIONS.slice(
        0,
        MIGRATIONS.findIndex(({ name }) => name === "returned-sale"),
      );
      await migrate(
        { db: store.db, kind: kind.kind, ...("schema" in database.options ? { schema: database.options.schema ?? "" } : {}) },
        before,
        clock,
      );
      for (const content of [returnContent("old-return"), returnContent("old-return-of-nothing", {}, null)])
        await insertAsBefore(store.db, content);
      await store.migrate();
      journal = new Journal({ store, clock });
    });
    afterAll(() => database.drop());

    it(`are found, those from before the index too, and nobody else's (${kind.title})`, async () => {
      await journal.accept(returnContent("new-return"));
      await journal.accept(returnContent("of-another-sale", {}, "sale-2"));
      await journal.accept(returnContent("of-no-sale", {}, null));
      await journal.accept(returnContent("of-another-account", { accountId: "account-2" }));
      await journal.accept(entryContent({ key: entryKey({ documentId: SALE }) }));
      const { appId, accountId } = entryKey();
      const found = await journal.returnsOf(appId, accountId, SALE, 10);
      expect(found.map(({ key }) => key.documentId)).toEqual(["new-return", "old-return"]);
      expect(await journal.returnsOf(appId, accountId, SALE, 1)).toHaveLength(1);
    });

    it(`are found by an index (${kind.title})`, async () => {
      await insertOtherReturns(store.db);
      await sql`analyze entries`.execute(store.db);
      const [query] = await queriesOf(store.db, (db) => returnsOf(db, { appId: "app", accountId: "account", saleId: SALE }, 10));
      if (query === undefined) throw new Error("nothing was asked");
      expect(await planOf(store.db, kind.kind, query)).toContain("entries_original");
    });
  });
}

async function insertAsBefore(db: Kysely<Tables>, { key, operation, document, ...content }: EntryContent): Promise<void> {
  const texts = [JSON.stringify(operation), JSON.stringify(document)] as const;
  await sql`insert into entries (app_id, account_id, operation, document_id, id_type, store_id, register, state, attempt, content_hash, twin,
    paper, accepted_at_ms, moved_at_ms, content, document) values (${key.appId}, ${key.accountId}, ${key.operation}, ${key.documentId},
    ${content.idType}, ${operation.storeId}, ${content.register}, 'queued', 1, ${content.contentHash}, ${content.twinHash}, ${content.paper}, 1, 1,
    ${texts[0]}, ${texts[1]})`.execute(db);
}

/** Copies a return, each copy with a key of its own and for another sale. */
async function insertOtherReturns(db: Kysely<Tables>): Promise<void> {
  const {
    rows: [row = {}],
  } = await sql<object>`select * from entries where document_id = 'new-return'`.execute(db);
  const same = Object.keys(row).filter((name) => !["id", "document_id", "original_id"].includes(name));
  const columns = sql.join(same.map((name) => sql.ref(name)));
  await sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(OTHER_RETURNS)})
    insert into entries (document_id, original_id, ${columns}) select 'other-' || n, 'other-sale-' || n, ${columns}
    from entries cross join numbers where document_id = 'new-return'`.execute(db);
}

/** The queries that are sent to the database during the work. */
async function queriesOf(db: Kysely<Tables>, work: (db: Kysely<Tables>) => Promise<unknown>): Promise<CompiledQuery[]> {
  const sent: CompiledQuery[] = [];
  const listening = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "executeQuery") return typeof member === "function" ? member.bind(target) : member;
      return (query: CompiledQuery) => {
        sent.push(query);
        return target.executeQuery(query);
      };
    },
  });
  await work(listening);
  return sent;
}

/** How the database would find the rows if the table were too large to be read as a whole. */
async function planOf(db: Kysely<Tables>, kind: "sqlite" | "postgres", query: CompiledQuery): Promise<string> {
  const explain = { ...query, sql: `${kind === "sqlite" ? "explain query plan" : "explain"} ${query.sql}` };
  if (kind === "sqlite") return JSON.stringify((await db.executeQuery(explain)).rows);
  return db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    return JSON.stringify((await tx.executeQuery(explain)).rows);
  });
}
