import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/store/database.ts";
import { type Lock, lockDataDir } from "../../src/store/lock.ts";
import { openMemoryStore } from "../support/memory-store.ts";

/** Tables that a run writes, children first. */
const WRITTEN = ["answers", "day_answers", "moves", "shift_links", "entries", "drive_readings", "lost_documents"] as const;

/**
 * The storage that all runs of one process use, one after another: a database in memory, migrated once
 * and emptied for each run, and a folder for the server's lock.
 */
export class ServerStorage {
  readonly store: Store;
  readonly #folder: string;
  #locks = 0;

  private constructor(store: Store, folder: string) {
    this.store = store;
    this.#folder = folder;
  }

  static async open(): Promise<ServerStorage> {
    const store = await openMemoryStore();
    return new ServerStorage(store, mkdtempSync(join(tmpdir(), "simulation-")));
  }

  /** The lock that every server takes first. Throws `store-locked` while another has it. */
  lock(): Promise<Lock> {
    this.#locks += 1;
    return lockDataDir(this.#folder, { pid: this.#locks, host: "simulated", since: "2026-11-13T06:00:00Z" });
  }

  async clear(): Promise<void> {
    for (const table of WRITTEN) await this.store.db.deleteFrom(table).execute();
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }
}
