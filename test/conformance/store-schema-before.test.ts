import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { newPostgresDatabase } from "../support/new-database.ts";

const BEFORE = "stands_before";

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("a schema that stands before the journal's in the search path", kind, () => {
    describe.each(["a server", "the command that migrates"])("at the start of %s", (who) => {
      const services = () => (who === "a server" ? { held: new HeldFiles() } : {});

      it.each([
        ["is empty", sql`select 1`],
        [
          "has a part of the tables",
          sql.raw(`create table ${BEFORE}.entries (like public.entries); create table ${BEFORE}.moves (like public.moves)`),
        ],
      ])("is refused in one line when it %s, and no second journal is begun there", async (_what, fill) => {
        const url = await newPostgresDatabase();
        const store = await openStore({ kind: "postgres", url }, { held: new HeldFiles() });
        onTestFinished(() => store.close());
        await store.migrate();
        await sql.raw(`create schema ${BEFORE}`).execute(store.db);
        await fill.execute(store.db);
        const tables = () => sql`select relname from pg_class where relnamespace = ${BEFORE}::regnamespace order by 1`.execute(store.db);
        const { rows: before } = await tables();

        const path = new URL(url);
        path.searchParams.set("options", `-c search_path=${BEFORE},public`);
        const second = await openStore({ kind: "postgres", url: path.href.replaceAll("+", "%20") }, services());
        onTestFinished(() => second.close());
        await expect(second.migrate()).rejects.toMatchObject({
          code: "store-misconfigured",
          message: expect.stringMatching(
            /^The journal is in the schema public, and the schema stands_before stands before it [^\n]*Nothing was changed$/,
          ),
        });
        expect((await tables()).rows).toEqual(before);
        await store.ping();
      });
    });
  });
