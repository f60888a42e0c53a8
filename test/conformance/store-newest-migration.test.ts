import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { DocumentFacts } from "../../src/model/facts.ts";
import type { Store } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { cashFacts, checkpoint, entryContent, entryKey, IDENTITY, openingFacts, saleFacts } from "../support/journal-entries.ts";

const DRIVE = IDENTITY.driveNumber;
/** What JSON can hold and the JSON functions of a database may not. */
const ODD = { ...IDENTITY, place: '\0 \uD800 "documentNumber":7' };
const EARLIER = MIGRATIONS.filter(({ version }) => version < 3);

/** An entry as a program of version 2 has written it. */
interface Old {
  id: number;
  operation: string;
  accountId: string;
  state: "done" | "refused" | "queued";
  attempt: number;
  facts?: DocumentFacts;
  moves: [attempt: number, to: string][];
}

const OLD: readonly Old[] = [
  // This operation was refused before all other operations came, and was done after them.
  {
    id: 1,
    operation: "sale",
    accountId: "a",
    state: "done",
    attempt: 2,
    facts: sale(52),
    moves: [
      [1, "queued"],
      [1, "refused"],
      [2, "sending"],
      [2, "done"],
    ],
  },
  {
    id: 2,
    operation: "auto-open-shift",
    accountId: "a",
    state: "done",
    attempt: 1,
    facts: openingFacts({ documentNumber: 50 }),
    moves: [
      [1, "sending"],
      [1, "done"],
    ],
  },
  {
    id: 3,
    operation: "cash-in",
    accountId: "a",
    state: "done",
    attempt: 1,
    facts: cashFacts(),
    moves: [
      [1, "sending"],
      [1, "done"],
    ],
  },
  // What a person has said, and has taken back.
  {
    id: 4,
    operation: "sale",
    accountId: "a",
    state: "refused",
    attempt: 2,
    moves: [
      [1, "sending"],
      [1, "in-doubt"],
      [1, "done"],
      [2, "in-doubt"],
      [2, "refused"],
    ],
  },
  {
    id: 5,
    operation: "sale",
    accountId: "a",
    state: "done",
    attempt: 1,
    facts: { ...sale(51), identity: ODD },
    moves: [
      [1, "sending"],
      [1, "done"],
    ],
  },
  { id: 6, operation: "cash-out", accountId: "a", state: "queued", attempt: 1, moves: [[1, "queued"]] },
];

function sale(documentNumber: number) {
  return saleFacts({ documentNumber });
}

for (const kind of TRIED_DATABASES) {
  describeDatabase("a journal from before newest went by number", kind, () => {
    let database: TestDatabase;
    afterEach(() => database.drop());

    async function migrated(): Promise<{ store: Store; journal: Journal }> {
      database = await kind.makeEmpty();
      const store = await database.open();
      const { options } = database;
      const schema = options.kind === "postgres" && options.schema !== undefined ? { schema: options.schema } : {};
      await migrate({ db: store.db, kind: store.kind, ...schema }, EARLIER, systemClock);
      for (const old of OLD) await write(store, old);
      await sql`insert into shift_links (register, drive_number, shift_number, id_type, shift_id) values ('emulator:old', ${DRIVE}, 7, 'native', 's')`.execute(
        store.db,
      );
      await store.migrate();
      return { store, journal: new Journal({ store, clock: systemClock }) };
    }

    it(`has its newest documents by their numbers afterwards, and its shifts by their drive (${kind.title})`, async () => {
      const { journal } = await migrated();
      expect(await journal.lastDocumentNumber(DRIVE)).toBe(52);
      expect((await journal.newestFiscal(DRIVE))?.id).toBe(1);
      expect(await journal.documentNumbers(DRIVE, 0)).toEqual(new Set([50, 51, 52]));
      const owner = await journal.shiftOwner({ driveNumber: DRIVE, shiftNumber: 7 });
      expect(owner).toEqual({ kind: "opened", accountId: "a", automatic: true });
      expect(await journal.shiftLinks(DRIVE, 7)).toEqual([{ id: "s", idType: "native" }]);
      expect(await journal.doneBySign(DRIVE, sale(51).fiscalSign)).toHaveLength(2);
    });

    it(`has its entries and moves as they were, and what comes now is behind them (${kind.title})`, async () => {
      const { journal } = await migrated();
      const left = (await journal.list({ limit: 10 })).map(({ id, state, attempt }: Entry) => ({ id, state, attempt }));
      expect(left).toEqual(OLD.map(({ id, state, attempt }) => ({ id, state, attempt })).toReversed());
      for (const { id, moves } of OLD) expect((await journal.moves(id)).map(({ attempt, to }) => [attempt, to])).toEqual(moves);
      const again = await journal.accept(entryContent({ key: keyOf({ id: 4, operation: "sale", accountId: "a" }) }));
      expect((await journal.unfinished()).map(({ id }) => id)).toEqual([6, again.id]);
      const sending = await journal.send(again, checkpoint());
      await journal.finish(sending, { kind: "done", facts: sale(53) }, "register");
      expect(await journal.lastDocumentNumber(DRIVE)).toBe(53);
    });
  });
}

function keyOf({ id, operation, accountId }: Pick<Old, "id" | "operation" | "accountId">) {
  return entryKey({ operation: operation as "sale", accountId, documentId: `old-${id}` });
}

async function write({ db, kind }: Store, old: Old): Promise<void> {
  const { id, state, attempt, facts, moves } = old;
  const key = keyOf(old);
  const { contentHash, twinHash, idType, register, operation, document, paper } = entryContent({
    key,
    register: "emulator:old",
    twinHash: `twin ${id}`,
  });
  const sent = state === "queued" ? null : JSON.stringify(checkpoint());
  const placed = facts === undefined ? [null, null] : [facts.identity.driveNumber, facts.shiftNumber];
  const override = sql.raw(kind === "postgres" ? "overriding system value" : "");
  await sql`
    insert into entries (id, app_id, account_id, operation, document_id, id_type, store_id, register, state, attempt, content_hash, twin,
      paper, accepted_at_ms, moved_at_ms, content, document, checkpoint, facts, refusal, doubt, drive_number, shift_number) ${override}
    values (${id}, ${key.appId}, ${key.accountId}, ${key.operation}, ${key.documentId}, ${idType}, ${operation.storeId}, ${register}, ${state},
      ${attempt}, ${contentHash}, ${twinHash}, ${paper}, 1, 1, ${JSON.stringify(operation)}, ${JSON.stringify(document)}, ${sent},
      ${facts === undefined ? null : JSON.stringify(facts)}, ${state === "refused" ? '{"code":"no-paper"}' : null}, null, ${placed[0]}, ${placed[1]})`.execute(
    db,
  );
  for (const [nth, to] of moves) {
    await sql`insert into moves (entry_id, attempt, to_state, from_state, at_ms, by, note) values (${id}, ${nth}, ${to}, null, 1, 'caller', null)`.execute(
      db,
    );
  }
}
