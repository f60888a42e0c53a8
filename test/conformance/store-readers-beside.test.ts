import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { SeededChance } from "../simulation/seeded-chance.ts";
import { extent } from "../support/extent.ts";
import { copyFiles, overwrite, pragma } from "../support/overwritten.ts";

const root = mkdtempSync(join(tmpdir(), "store-readers-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SEEDS = extent({ short: 25, long: 150 });
const STEPS = 40;
const MAX_READERS = 3;

/** A served database with other connections beside it, each of which does at random what backups, reports and commands do. */
class Beside {
  readonly file: string;
  readonly reasons: string[] = [];
  readonly done: string[] = [];
  readonly #chance: SeededChance;
  #store: Store;
  readonly #command: Store;
  readonly #readers: Database.Database[] = [];
  #number = 0;

  static async open(seed: number): Promise<Beside> {
    const file = join(mkdtempSync(join(root, "case-")), "fiscal.sqlite");
    const reasons: string[] = [];
    const store = await served(file, reasons);
    const command = await openStore({ kind: "sqlite", file });
    return new Beside(file, reasons, { store, command, seed });
  }

  private constructor(file: string, reasons: string[], { store, command, seed }: { store: Store; command: Store; seed: number }) {
    this.file = file;
    this.reasons = reasons;
    this.#store = store;
    this.#command = command;
    this.#chance = new SeededChance(seed);
  }

  async change(store = this.#store): Promise<void> {
    this.#number += 1;
    const row = { register: "r", drive_number: "9999", shift_number: this.#number, id_type: "t", shift_id: "s".repeat(500) };
    await store.commit((tx) => tx.insertInto("shift_links").values(row).execute());
  }

  async step(): Promise<void> {
    const acts: Record<string, () => Promise<void> | void> = {
      change: () => this.change(),
      "a restart": () => this.#restart(),
      "a command's change": () => this.change(this.#command),
      "a reader begins": () => this.#read(),
      "a reader ends": () => this.#endReader(),
      "the server's checkpoint": () => pragma(this.#store, "wal_checkpoint(passive)"),
      "a command's checkpoint": () => pragma(this.#command, "wal_checkpoint(passive)"),
      "a truncating checkpoint": () => this.#truncate(),
      "a copy of the database": () => this.#copy(),
      "twenty changes": async () => {
        for (let made = 0; made < 20; made += 1) await this.change();
      },
    };
    const name = this.#chance.pick(Object.keys(acts));
    this.done.push(name);
    await acts[name]?.();
  }

  endReaders(): void {
    while (this.#readers.length > 0) this.#endReader();
  }

  async close(): Promise<void> {
    this.endReaders();
    await this.#command.close();
    await this.#store.close();
  }

  async #restart(): Promise<void> {
    await this.#store.close();
    this.#store = await served(this.file, this.reasons);
  }

  #read(): void {
    if (this.#readers.length >= MAX_READERS) return;
    const reader = new Database(this.file, { readonly: true });
    reader.exec("begin");
    reader.prepare("select count(*) from shift_links").get();
    this.#readers.push(reader);
  }

  #endReader(): void {
    const [reader] = this.#readers.splice(this.#chance.below(this.#readers.length), 1);
    reader?.close();
  }

  /** With a reader the log cannot be emptied, and SQLite says so after its busy time, which is none here. */
  #truncate(): void {
    const connection = new Database(this.file, { timeout: 0 });
    connection.pragma("wal_checkpoint(truncate)");
    connection.close();
  }

  #copy(): void {
    const reader = new Database(this.file, { readonly: true });
    reader.exec(`vacuum into '${this.file}-${this.done.length}.copy'`);
    reader.close();
  }
}

/** Opens the database as the process does that holds the lock. */
async function served(file: string, reasons: string[]): Promise<Store> {
  const store = await openStore({ kind: "sqlite", file }, { held: new HeldFiles((reason) => reasons.push(reason)) });
  await store.migrate();
  return store;
}

async function played(seed: number): Promise<Beside> {
  const beside = await Beside.open(seed);
  onTestFinished(() => beside.close());
  for (let step = 0; step < STEPS && beside.reasons.length === 0; step += 1) {
    await beside.step();
    if (step % 2 === 0) await beside.change();
  }
  return beside;
}

describe("a served database with readers, commands, checkpoints and copies beside it", () => {
  it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))("takes every change: seed %d", async (seed) => {
    const { reasons, done } = await played(seed);
    expect({ reasons, done: reasons.length === 0 ? [] : done }).toEqual({ reasons: [], done: [] });
  });

  it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))("is given up once an older copy lies over it: seed %d", async (seed) => {
    const beside = await played(seed);
    const copy = `${beside.file}-older`;
    copyFiles(beside.file, copy);
    for (let step = 0; step < 1 + (seed % 7); step += 1) {
      await beside.step();
      await beside.change();
    }
    beside.endReaders();
    overwrite(beside.file, copy);
    await expect(beside.change()).rejects.toMatchObject({ code: "database-gone" });
    expect(beside.reasons).toHaveLength(1);
  });
});
