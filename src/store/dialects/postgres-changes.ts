import { type Kysely, sql, type Transaction } from "kysely";
import pg from "pg";
import type { Chance } from "../../kernel/clock.ts";
import { ahead, type Changes, type Counted, difference, type Mark, type SharedPlace, sameMark } from "../changes.ts";
import type { HeldFiles } from "../held-files.ts";
import type { Tables } from "../tables.ts";
import { SERVING } from "./postgres.ts";

/** The slot that counts the changes by commands, which run beside the server. */
const OTHERS = 0;
/** The codes undefined_table and undefined_column: the schema is gone, or an earlier version of this program made it. */
const NO_SUCH_TABLE = ["42P01", "42703"];

/** A row of the table `commit_marks`, as last known to this process. */
interface Place {
  slot: number;
  /** The last committed mark. Two marks when the newer commit is uncertain. */
  newest: readonly Mark[];
  busy: boolean;
}

type Row = Mark & { slot: number };

/**
 * There is a row for each connection, because with a single row each transaction would wait for the previous commit. A transaction changes
 * one row and reads all rows. In an old copy of the database at least one row lacks its newest change.
 */
export class PostgresChanges implements Changes {
  readonly #where: string;
  readonly #held: HeldFiles;
  readonly #chance: Chance;
  /** The slots of this process have numbers above this number. */
  readonly #slotsAbove: number;
  readonly #place: SharedPlace | undefined;
  #places: Place[] | undefined;
  #others: Row = { slot: OTHERS, count: 0, token: 0 };

  /** `where`: the journal's place, for messages. `place`: absent when this process uses the database alone. */
  constructor(where: string, { held, chance, place }: { held: HeldFiles; chance: Chance; place?: SharedPlace }) {
    this.#where = where;
    this.#held = held;
    this.#chance = chance;
    this.#place = place;
    this.#slotsAbove = (place?.number ?? 0) * SERVING.connections;
  }

  async take(tx: Transaction<Tables>): Promise<void> {
    const marks = Array.from({ length: SERVING.connections }, (_, at) => ({
      slot: this.#slotsAbove + at + 1,
      token: this.#token(),
      count: 1,
    }));
    const taken = await tx
      .insertInto("commit_marks")
      .values(marks)
      .onConflict((conflict) =>
        conflict.column("slot").doUpdateSet(({ ref }) => ({ token: ref("excluded.token"), count: sql`commit_marks.count + 1` })),
      )
      .returningAll()
      .execute();
    await tx
      .insertInto("commit_marks")
      .values(this.#others)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    this.#places = taken.map(({ slot, token, count }) => ({ slot, newest: [{ token, count }], busy: false }));
  }

  async next(tx: Transaction<Tables>): Promise<Counted> {
    if (this.#places === undefined) {
      await sql`update commit_marks set count = count + 1 where slot = ${OTHERS}`.execute(tx);
      return { end() {} };
    }
    const place = this.#places.find(({ busy }) => !busy);
    if (place === undefined) throw new Error(`more than ${SERVING.connections} transactions at once`);
    place.busy = true;
    try {
      const token = this.#token();
      const known = this.#known();
      // Although the statement changes a row, its query returns the rows as they were before.
      const rows = await this.#rows(
        tx,
        sql`with counted as (update commit_marks set count = count + 1, token = ${token} where slot = ${place.slot})`,
      );
      await this.#compare(tx, known, rows);
      const before = rows.find(({ slot }) => slot === place.slot);
      if (before !== undefined) place.newest = [before, { count: before.count + 1, token }];
    } catch (error) {
      place.busy = false;
      throw error;
    }
    return {
      end: (how) => {
        place.busy = false;
        if (how === "committed") place.newest = place.newest.slice(-1);
        if (how === "undone") place.newest = place.newest.slice(0, 1);
      },
    };
  }

  async compare(db: Kysely<Tables>): Promise<void> {
    if (this.#places === undefined) return;
    const known = this.#known();
    await this.#compare(db, known, await this.#rows(db, sql``));
  }

  /** Does nothing: the PostgreSQL server writes its own files. */
  leaveAsItIs(): void {}

  close(): void {}

  /** Returns the marks as this process knows them before it sends a query. The first mark of a slot is certainly committed. */
  #known(): Map<number, readonly Mark[]> {
    return new Map([...(this.#places ?? []), { slot: OTHERS, newest: [this.#others] }].map(({ slot, newest }) => [slot, newest]));
  }

  async #rows(db: Kysely<Tables>, counting: ReturnType<typeof sql>): Promise<Row[]> {
    try {
      return (await sql<Row>`${counting} select slot, token, count from commit_marks`.execute(db)).rows;
    } catch (error) {
      const gone = error instanceof pg.DatabaseError && NO_SUCH_TABLE.includes(error.code ?? "");
      throw gone
        ? this.#held.giveUp(`The journal in ${this.#where} was dropped or renamed, or replaced by one that counts no changes`)
        : error;
    }
  }

  /**
   * Compares the rows with the marks. A row must have the last committed mark of its slot. It may have a newer mark when another
   * transaction of this process used the slot since the query was sent. Slot 0 may have any higher count, because commands count there.
   */
  async #compare(db: Kysely<Tables>, known: Map<number, readonly Mark[]>, rows: readonly Row[]): Promise<void> {
    const found = new Map(rows.map((row) => [row.slot, row]));
    const now = this.#known();
    const wrong = [...known].find(([slot, marks]) => {
      const [row, least] = [found.get(slot), marks[0]];
      if (row === undefined || least === undefined) return true;
      if (slot === OTHERS) return ahead(row, least) < 0;
      if (now.get(slot) === marks) return !marks.some((mark) => sameMark(row, mark));
      return ahead(row, least) < 0 || (ahead(row, least) === 0 && row.token !== least.token);
    });
    if (wrong === undefined) {
      this.#others = found.get(OTHERS) ?? this.#others;
      return;
    }
    await this.#place?.mustBeHeld(db);
    const sum = (marks: Iterable<Mark | undefined>) => [...marks].reduce((total, mark) => total + (mark?.count ?? 0), 0);
    const newest = sum([...known.values()].map((marks) => marks[0]));
    const there = sum([...known.keys()].map((slot) => found.get(slot)));
    this.#held.giveUp(
      `The journal in ${this.#where} was overwritten (${difference({ count: there, token: 0 }, { count: newest, token: 0 })})`,
    );
  }

  #token(): number {
    return this.#chance.bytes(4).readInt32BE();
  }
}
