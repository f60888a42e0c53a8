import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { type Lock, lockDataDir } from "../../src/store/lock.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** Tables that a run writes, children first. */
const WRITTEN = ["answers", "day_answers", "moves", "shift_links", "entries", "drive_readings", "lost_documents"] as const;

/**
 * The storage that all runs of one process use, one after another. It has a database in memory, which is migrated once
 * and emptied for each run, and a folder for the server's lock.
 */
export class ServerStorage {
  readonly #folder: string;
  #kept: Kept;
  #locks = 0;
  #isLeft = false;

  private constructor(kept: Kept, folder: string) {
    this.#kept = kept;
    this.#folder = folder;
  }

  static async open(): Promise<ServerStorage> {
    return new ServerStorage(await openKept(), mkdtempSync(join(tmpdir(), "simulation-")));
  }

  /** The store of the present run. The next run may get another one. */
  get store(): Store {
    return this.#kept.store;
  }

  /** Whether a server has declared the store of the present run gone. Then no server of the run commits to it again. */
  get isGone(): boolean {
    return this.#kept.isGone();
  }

  /** Takes the lock that every server takes first. Throws `store-locked` while another server has it. */
  lock(): Promise<Lock> {
    this.#locks += 1;
    return lockDataDir(this.#folder, { pid: this.#locks, host: "simulated", since: "2026-11-13T06:00:00Z" });
  }

  /** Leaves the store after a broken promise, because work of the run's processes may still go on in it. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Empties the storage. The next run gets a new store, because a server that misses its rows never uses the store again. */
  async clear(): Promise<void> {
    if (this.#isLeft || this.isGone) {
      this.#isLeft = false;
      await this.store.close();
      this.#kept = await openKept();
    }
    for (const table of WRITTEN) await this.store.db.deleteFrom(table).execute();
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.#folder, { recursive: true });
  }
}

interface Kept {
  store: Store;
  /** Whether a server has declared the database gone. */
  isGone(): boolean;
}

async function openKept(): Promise<Kept> {
  let gone = false;
  const held = new HeldFiles(() => {
    gone = true;
  });
  // Its time stands still, so that a slow machine changes nothing.
  return { store: await openMemoryStore({ held, clock: new VirtualClock(0) }), isGone: () => gone };
}
