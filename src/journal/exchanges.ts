import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { Rounds } from "../kernel/rounds.ts";
import { type ExchangeStep, MOST_STEPS } from "../model/device/exchange.ts";
import type { Store } from "../store/database.ts";
import { deleteExchanges, insertExchanges, selectExchanges } from "./exchange-queries.ts";
import { storedSteps } from "./exchange-schema.ts";

/** The pause between two writings. Only people read exchanges, so a second is enough. */
const WRITE_EVERY_MS = 1_000;
/** The largest number of attempts waiting to be written. The exchanges of further attempts are lost. */
const MOST_WAITING = 1_000;
/** One commit writes or deletes the exchanges of at most this many attempts. The number is small, because sales may wait for the commit. */
const AT_ONCE = 50;
/** How long exchanges are kept: people ask about an operation within this time. */
const KEPT_MS = 30 * 86_400_000;
const FORGET_EVERY_MS = 6 * 3_600_000;

export interface Exchange {
  attempt: number;
  steps: readonly ExchangeStep[];
}

interface Attempt {
  id: number;
  attempt: number;
  steps: ExchangeStep[];
}

/**
 * Stores the commands that each attempt exchanges with a device: names, times and codes, never the bytes. Separate commits write them in
 * the background, and some may be lost.
 */
export class DeviceExchanges {
  readonly #services: { store: Pick<Store, "commit" | "read">; clock: Clock; log: Log };
  readonly #open = new Map<string, Attempt>();
  readonly #rounds: readonly Rounds[];
  #waiting: Attempt[] = [];

  constructor(services: { store: Pick<Store, "commit" | "read">; clock: Clock; log: Log }) {
    this.#services = services;
    const { clock } = services;
    this.#rounds = [new Rounds(clock, WRITE_EVERY_MS, () => this.#write()), new Rounds(clock, FORGET_EVERY_MS, () => this.#forget())];
  }

  start(): void {
    for (const rounds of this.#rounds) rounds.start();
  }

  /** Assigns the register's commands to the attempt, until the returned function is called. */
  begin(register: string, { id, attempt }: { id: number; attempt: number }): () => void {
    const opened: Attempt = { id, attempt, steps: [] };
    this.#open.set(register, opened);
    return () => {
      if (this.#open.get(register) === opened) this.#open.delete(register);
      if (opened.steps.length > 0 && this.#waiting.length < MOST_WAITING) this.#waiting.push(opened);
    };
  }

  note(register: string, step: ExchangeStep): void {
    const steps = this.#open.get(register)?.steps;
    if (steps !== undefined && steps.length < MOST_STEPS) steps.push(step);
  }

  async of(entryId: number): Promise<Exchange[]> {
    const rows = await this.#services.store.read((db) => selectExchanges(db, entryId));
    return rows.map(({ attempt, steps }) => ({ attempt, steps: storedSteps.parse(JSON.parse(steps)) }));
  }

  /** Ends the rounds and writes the waiting attempts. */
  async close(): Promise<void> {
    for (const rounds of this.#rounds) await rounds.close();
    await this.#write();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0, AT_ONCE);
      const rows = taken.map(({ id, attempt, steps }) => ({
        entry_id: id,
        attempt,
        at_ms: steps[0]?.atMs ?? 0,
        steps: JSON.stringify(steps),
      }));
      if (await this.#guarded((tx) => insertExchanges(tx, rows), "what was exchanged with registers could not be written")) continue;
      // The next round writes these attempts. If too many wait, the newest are lost.
      this.#waiting = [...taken, ...this.#waiting].slice(0, MOST_WAITING);
      return;
    }
  }

  async #forget(): Promise<void> {
    const beforeMs = this.#services.clock.nowMs() - KEPT_MS;
    let deleted = AT_ONCE;
    const once = async (tx: Parameters<typeof deleteExchanges>[0]) => {
      deleted = await deleteExchanges(tx, beforeMs, AT_ONCE);
    };
    while (deleted === AT_ONCE && (await this.#guarded(once, "old exchanges with registers could not be deleted")));
  }

  async #guarded(work: (tx: Parameters<typeof insertExchanges>[0]) => Promise<void>, trouble: string): Promise<boolean> {
    try {
      await this.#services.store.commit(work, "behind");
      return true;
    } catch (error) {
      this.#services.log.warn({ error: messageOf(error) }, trouble);
      return false;
    }
  }
}
