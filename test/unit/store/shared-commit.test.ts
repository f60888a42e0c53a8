import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { SharedCommit } from "../../../src/store/shared-commit.ts";
import type { Tables } from "../../../src/store/tables.ts";

/** The pieces of each commit, in order. The database executes nothing. */
function bench(turnMs = 0) {
  const commits: string[][] = [];
  let nowMs = 0;
  let pieces: string[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const shared = new SharedCommit(
    async (work) => {
      pieces = [];
      const done = await db.transaction().execute(work);
      commits.push(pieces);
      return done;
    },
    (thrown) => new Failure("database-failed", "dependency", String(thrown)),
    { monotonicMs: () => nowMs },
  );
  const join = (name: string, behind = false) =>
    shared.join(
      async () => {
        pieces.push(name);
        return name;
      },
      { behind },
    );
  const turn = async () => {
    await nextTurn();
    nowMs += turnMs;
  };
  return { commits, join, turn };
}

describe("a shared commit", () => {
  it("takes the pieces of tills whose requests are parsed in turns that follow each other", async () => {
    const { commits, join, turn } = bench();
    const joined = [join("first"), join("second")];
    for (const name of ["a", "b", "c", "d"]) {
      joined.push(join(name));
      await turn();
    }
    expect(await Promise.all(joined)).toEqual(["first", "second", "a", "b", "c", "d"]);
    expect(commits).toEqual([["first", "second", "a", "b", "c", "d"]]);
  });

  it("waits one turn for the work of a till that works alone", async () => {
    const { commits, join, turn } = bench();
    const joined = [join("a")];
    await turn();
    joined.push(join("b"));
    await turn();
    await Promise.all(joined);
    expect(commits).toEqual([["a"], ["b"]]);
  });

  it("begins although each turn brings a further piece", async () => {
    const { commits, join, turn } = bench();
    const joined: Promise<string>[] = [];
    for (let number = 0; number < 40; number += 1) {
      joined.push(join(String(number)));
      await turn();
    }
    await Promise.all(joined);
    expect(commits.flat()).toEqual(Array.from({ length: 40 }, (_, number) => String(number)));
    expect(Math.max(...commits.map(({ length }) => length))).toBeLessThanOrEqual(14);
  });

  it("begins after five milliseconds when other work makes the turns long", async () => {
    const { commits, join, turn } = bench(5);
    const joined = [join("a")];
    await turn();
    joined.push(join("b"));
    await turn();
    joined.push(join("c"));
    await turn();
    await Promise.all(joined);
    expect(commits.length).toBeGreaterThan(1);
    expect(commits.flat()).toEqual(["a", "b", "c"]);
  });

  it("takes at most 32 pieces and 8 of those that nobody waits for", async () => {
    const { commits, join } = bench();
    const joined = Array.from({ length: 50 }, (_, number) => join(String(number)));
    const behind = Array.from({ length: 20 }, (_, number) => join(`behind ${number}`, true));
    await Promise.all([...joined, ...behind]);
    expect(commits.map(({ length }) => length)).toEqual([40, 26, 4]);
  });
});
