import { type Clock, nextTurn } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { PerKeyWork } from "../../kernel/per-key-work.ts";
import { type OnlyHere, Rounds } from "../../kernel/rounds.ts";
import { inPieces } from "../../kernel/work/in-pieces.ts";
import { jsonIn } from "../../store/columns.ts";
import type { Store } from "../../store/database.ts";
import type { InstallationKey } from "../installation.ts";
import { selectInstallation } from "../installation-queries.ts";
import { type ChangedObject, distinct } from "./changed-object.ts";
import {
  deleteDoneOfDays,
  deleteOldDone,
  markDone,
  selectInstallationsWaiting,
  selectWaiting,
  someWaitInOldTable,
  takeFromOldTable,
  trimDone,
} from "./notification-queries.ts";
import { changedObjectsSchema } from "./stored-schema.ts";

/** Reads a shop again after reported changes. Both methods are safe to repeat, and throw on failure. */
export interface ChangesReading {
  /** Reads these objects, each listed once. The signal aborts the reading when the server stops; the next start repeats the reading. */
  reread(key: InstallationKey, objects: readonly ChangedObject[], signal: AbortSignal): Promise<void>;
  /**
   * Reads all objects except goods again, because the list of changes would be too long. Marks goods as changed: they are read again when
   * they are sold.
   */
  rereadAll(key: InstallationKey, signal: AbortSignal): Promise<void>;
}

export interface WorkServices {
  store: Pick<Store, "read" | "commit">;
  reading: ChangesReading;
  clock: Clock;
  log: Log;
  /** Tells whether this process may do the work now. Absent: this is the only process. */
  onlyHere?: OnlyHere;
}

/**
 * The maximum number of done notifications kept for an installation, to recognize repeats. The platform repeats immediately or never
 * (json-api 9.2).
 */
export const MAX_DONE_KEPT = 1_000;

/**
 * How often the database is searched for waiting work. Most work starts without the search. The search finds retries after their pause,
 * notifications that another process has stored, and work of installations that are active again.
 */
const LOOK_INTERVAL_MS = 2_000;
/** Pauses between the tries of a batch. After the last failed try the batch counts as done: the hourly reading finds its changes. */
const PAUSES_MS = [2_000, 10_000, 60_000] as const;
/** The maximum number of notifications of a batch. A batch reads each object once, even if several notifications name it. */
const MAX_BATCH = 200;
/**
 * The maximum number of installations worked on at the same time, to limit the server's load. Each installation keeps its own limits at the
 * platform.
 */
const MAX_AT_ONCE = 8;
/** How long a stopping server waits for an aborted reading. */
const CLOSE_LIMIT_MS = 5_000;
/**
 * How long notifications are kept: for three days people may ask which notifications came. (To recognize repeats, seconds would be enough.)
 * An installation has at most `MAX_DONE_KEPT` done notifications. Then `app/housekeeping.ts` drops whole days in PostgreSQL. A day later
 * this module deletes the remaining notifications.
 */
export const NOTIFICATIONS_KEPT_MS = 3 * 86_400_000;
const LEFT_KEPT_MS = NOTIFICATIONS_KEPT_MS + 86_400_000;
/** How many notifications of the old table one commit moves. */
const MOVED_AT_ONCE = 200;
const SWEEP_INTERVAL_MS = 3_600_000;

/** Pause after a database failure, which does not count as a try. */
const STORE_PAUSE_MS = 10_000;

interface Trouble {
  /**
   * The newest notification of the batch. Later notifications form another batch with its own tries. Absent: the database failed.
   */
  upToId?: number;
  tries: number;
  dueMs: number;
}

/**
 * Reads the objects that stored notifications name. An installation is *due* when it may have waiting notifications. It is *running* while
 * a batch of its oldest notifications is read. It is *in trouble* from a failed try until its batch has ended. Each installation runs one
 * batch at a time, and a limited number of installations run at the same time. Notifications are marked as done after the
 * reading. If the process dies before the mark, the next start reads the objects again.
 */
export class NotificationWork {
  readonly #services: WorkServices;
  readonly #rounds: Rounds;
  readonly #stop = new AbortController();
  readonly #due = new Map<string, InstallationKey>();
  readonly #running = new PerKeyWork<void>();
  readonly #troubles = new Map<string, Trouble>();
  #started = false;
  #sweptAtMs: number | undefined;

  constructor(services: WorkServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, LOOK_INTERVAL_MS, () => this.#look(), services.onlyHere);
  }

  start(): void {
    this.#started = true;
    this.#rounds.start();
  }

  /** Called when a notification of the installation was stored. */
  wake(key: InstallationKey): void {
    if (!this.#started || this.#stop.signal.aborted) return;
    this.#due.set(nameOf(key), key);
    this.#next();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#due.clear();
    await this.#rounds.close();
    const { clock } = this.#services;
    await waitUntil(clock, deadlineIn(clock, CLOSE_LIMIT_MS), this.#running.idle());
  }

  async #look(): Promise<void> {
    const { store, clock, log } = this.#services;
    try {
      if (await store.read(someWaitInOldTable)) await store.commit((tx) => takeFromOldTable(tx, clock.nowMs(), MOVED_AT_ONCE));
      await this.#wakeWaiting();
      await this.#sweep();
    } catch (error) {
      log.error({ error: messageOf(error) }, "stored notifications could not be looked at");
    }
  }

  async #wakeWaiting(): Promise<void> {
    const { store } = this.#services;
    let after: InstallationKey | undefined;
    while (!this.#stop.signal.aborted) {
      const { active, last } = await store.read((db) => selectInstallationsWaiting(db, after));
      for (const key of active) this.wake(key);
      if (last === undefined) return;
      after = last;
      await nextTurn();
    }
  }

  async #sweep(): Promise<void> {
    const { store, clock } = this.#services;
    const nowMs = clock.monotonicMs();
    if (this.#sweptAtMs !== undefined && nowMs - this.#sweptAtMs < SWEEP_INTERVAL_MS) return;
    const beforeMs = clock.nowMs() - LEFT_KEPT_MS;
    await inPieces((limit) => store.commit((tx) => deleteOldDone(tx, beforeMs, limit), "behind"));
    await inPieces((limit) => store.commit((tx) => deleteDoneOfDays(tx, beforeMs, limit), "behind"));
    this.#sweptAtMs = nowMs;
  }

  /** Starts due installations up to the limit. A running installation stays due and starts again afterwards. */
  #next(): void {
    for (const [name, key] of this.#due) {
      if (this.#running.size >= MAX_AT_ONCE) return;
      if (this.#running.has(name)) continue;
      this.#due.delete(name);
      if ((this.#troubles.get(name)?.dueMs ?? 0) > this.#services.clock.monotonicMs()) continue;
      void this.#running.join(name, undefined, () => this.#workOff(name, key)).result.then(() => this.#next());
    }
  }

  /** Never rejects. */
  async #workOff(name: string, key: InstallationKey): Promise<void> {
    const { onlyHere } = this.#services;
    // Another process does this work. Its next search finds the stored notification.
    if (onlyHere !== undefined && !(await onlyHere())) return;
    try {
      let more = true;
      while (more && !this.#stop.signal.aborted) more = await this.#workOffBatch(name, key);
    } catch (error) {
      const { clock, log } = this.#services;
      log.error({ ...key, error: messageOf(error) }, "stored notifications could not be worked off");
      this.#troubles.set(name, { tries: 0, dueMs: clock.monotonicMs() + STORE_PAUSE_MS });
    }
  }

  /** Works on one batch. Returns false when no further batch can be read now. */
  async #workOffBatch(name: string, key: InstallationKey): Promise<boolean> {
    const { store, reading } = this.#services;
    const trouble = this.#troubles.get(name);
    const upTo = trouble?.upToId === undefined ? {} : { upToId: trouble.upToId };
    const batch = await store.read((db) => selectWaiting(db, key, { rows: MAX_BATCH, ...upTo }));
    const newest = batch.at(-1);
    if (newest === undefined) return this.#troubles.delete(name);
    try {
      const { signal } = this.#stop;
      // A reading of all objects covers every notification that was stored before the reading began, and so the whole batch.
      if (batch.some(({ events }) => events === null)) await reading.rereadAll(key, signal);
      else await reading.reread(key, objectsOf(batch), signal);
    } catch (error) {
      return await this.#failed(name, key, idsOf(batch), { upToId: newest.id, tries: (trouble?.tries ?? 0) + 1 }, error);
    }
    return await this.#done(name, key, idsOf(batch));
  }

  async #failed(
    name: string,
    key: InstallationKey,
    ids: readonly number[],
    { upToId, tries }: { upToId: number; tries: number },
    error: unknown,
  ): Promise<boolean> {
    const { store, clock, log } = this.#services;
    if (this.#stop.signal.aborted) return false;
    const [waiting] = await store.read((db) => selectWaiting(db, key, { rows: 1, upToId }));
    // The installation is not active, which explains the failure, and a Resume continues the work. Or the batch was merged into a newer
    // notification.
    if (waiting === undefined) return this.#troubles.delete(name);
    const values = { ...key, notifications: ids.length, tries, error: messageOf(error) };
    const pauseMs = PAUSES_MS[tries - 1];
    if (pauseMs === undefined) {
      log.warn(values, "changed objects could not be read again; the hourly reading of what has changed has to find them");
      return await this.#done(name, key, ids);
    }
    log.warn({ ...values, pauseMs }, "changed objects could not be read again now");
    this.#troubles.set(name, { upToId, tries, dueMs: clock.monotonicMs() + pauseMs });
    return false;
  }

  /**
   * Marks the batch as done. Returns false when the installation is not active: its access may have ended during the reading, so a Resume
   * repeats the reading.
   */
  async #done(name: string, key: InstallationKey, ids: readonly number[]): Promise<boolean> {
    const { store, clock } = this.#services;
    const done = await store.commit(async (tx) => {
      if ((await selectInstallation(tx, key))?.state !== "active") return false;
      await markDone(tx, ids, clock.nowMs());
      await trimDone(tx, key, MAX_DONE_KEPT);
      return true;
    });
    this.#troubles.delete(name);
    return done;
  }
}

type Stored = { id: number; events: string | null };

function idsOf(batch: readonly Stored[]): number[] {
  return batch.map(({ id }) => id);
}

/** Throws `notification-unreadable` for a broken column. */
function objectsOf(batch: readonly Stored[]): ChangedObject[] {
  const placeOf = ({ id }: Stored) => ({ failure: "notification-unreadable", table: "day_notifications", row: `${id}` }) as const;
  return distinct(batch.flatMap((row) => (row.events === null ? [] : jsonIn(placeOf(row), "events", row.events, changedObjectsSchema))));
}

function nameOf({ appId, accountId }: InstallationKey): string {
  return JSON.stringify([appId, accountId]);
}
