import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../../src/store/migrations/list.ts";
import type { Migration } from "../../../src/store/migrations/types.ts";
import { pinOf, plain, statementsOf } from "../../support/migration-statements.ts";

const KINDS = ["sqlite", "postgres"] as const;

describe("released migrations", () => {
  it.each(MIGRATIONS)("step $version ($name) sends what it is pinned by, to either database", async (step) => {
    expect({ sqlite: await pinOf(step, "sqlite"), postgres: await pinOf(step, "postgres") }).toEqual(step.pins);
  });

  it("have numbers that rise, and names and pins of their own", () => {
    const versions = MIGRATIONS.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    expect(new Set(MIGRATIONS.map(({ name }) => name)).size).toBe(MIGRATIONS.length);
    for (const kind of KINDS) expect(new Set(MIGRATIONS.map(({ pins }) => pins[kind])).size).toBe(MIGRATIONS.length);
  });
});

/** A migration, and the same migration with a change. */
function step(table: string, column: (name: string) => [string, "text" | "integer"] = (name) => [name, "text"]): Pick<Migration, "up"> {
  return {
    async up(tx) {
      await tx.schema
        .createTable(table)
        .addColumn(...column("body"))
        .execute();
      await sql`update entries set paper = 'A  "4"'   where state = ${"done"} -- all of them`.execute(tx);
    },
  };
}

describe("the pin of a migration", () => {
  it.each(KINDS)("changes with a name, a type, a value and a text, on %s", async (kind) => {
    const written = await pinOf(step("sheets"), kind);
    const others: Pick<Migration, "up">[] = [
      step("sheet"),
      step("sheets", (name) => [`${name}_2`, "text"]),
      step("sheets", (name) => [name, "integer"]),
      {
        async up(tx, dialect) {
          await step("sheets").up(tx, dialect);
          await sql`select 1`.execute(tx);
        },
      },
      { up: async () => {} },
    ];
    for (const other of others) expect(await pinOf(other, kind)).not.toBe(written);
    expect(await pinOf(step("sheets"), kind)).toBe(written);
  });

  it("tells the databases apart where they are told different things", async () => {
    const [first] = MIGRATIONS;
    if (first === undefined) throw new Error("there are no migrations");
    expect(first.pins.sqlite).not.toBe(first.pins.postgres);
    expect((await statementsOf(first, "sqlite")).join(" ")).toContain("strict");
    expect((await statementsOf(first, "postgres")).join(" ")).toContain("generated always as identity");
  });

  it.each([
    ["SELECT  1\n  FROM a -- why", "select 1 from a"],
    ["select /* what\nfor */ 1 from a", "select 1 from a"],
    ["insert into a ( b , c ) values ( 'X  y', 2 )", "insert into a(b,c)values('X  y',2)"],
    [`select "A b" from a where c = 'it''s -- no /* comment */'`, `select "A b" from a where c = 'it''s -- no /* comment */'`],
    ["select a-b, c / d from e", "select a-b,c / d from e"],
  ])("does not change with how it is written: %s", (written, meant) => {
    expect(plain(written)).toBe(meant);
  });

  it.each([
    ["select 'a b'", "select 'a  b'"],
    ["select 'A'", "select 'a'"],
    ['select "A"', 'select "a"'],
    ["select 1 where a = 1", "select 1 where a = 11"],
    ["select ab", "select a b"],
  ])("changes with what is meant: %s and %s", (one, other) => {
    expect(plain(one)).not.toBe(plain(other));
  });
});
