import { dayOf } from "../../store/day-parts.ts";
import type { InstallationKey } from "../installation.ts";
import { selectInstallation } from "../installation-queries.ts";
import { type ChangedObject, distinct } from "./changed-object.ts";
import type { Links } from "./links.ts";
import { countWaitingObjects, foldWaiting, insertNotification, trimDone } from "./notification-queries.ts";
import { MAX_DONE_KEPT, NotificationWork, type WorkServices } from "./notification-work.ts";

interface NotificationServices extends WorkServices {
  links: Pick<Links, "bySecret">;
}

type Holder = { kind: "unknown" } | ({ kind: "active" | "not-active" } & InstallationKey);

type Taken =
  /**
   * The notification is stored, and the reading of its objects begins. `everything`: too many objects waited, so `rereadAll` reads the shop
   * instead.
   */
  | { kind: "stored"; objects: number; everything: boolean }
  /** The platform has sent this notification before. Its objects are read once. */
  | { kind: "repeated" }
  /** The installation is suspended, uninstalled, or not set up. Nothing was stored, and nothing will be done. */
  | { kind: "not-active" };

/**
 * The maximum number of objects of an installation that may wait to be read again. When more objects wait, `rereadAll` reads the shop
 * instead, which takes fewer requests, loses no change and bounds the table.
 */
export const MAX_WAITING_OBJECTS = 2_000;

/**
 * Takes the platform's notifications of changes. A notification is stored before it is answered. Then its objects are read again, the
 * oldest notification first, even after a restart. The platform loses some notifications. The hourly reading finds their changes.
 */
export class Notifications {
  readonly #services: NotificationServices;
  readonly #work: NotificationWork;

  constructor(services: NotificationServices) {
    this.#services = services;
    this.#work = new NotificationWork(services);
  }

  async holderOf(secret: string): Promise<Holder> {
    const { links, store } = this.#services;
    const key = await links.bySecret(secret);
    if (key === undefined) return { kind: "unknown" };
    const row = await store.read((db) => selectInstallation(db, key));
    return { kind: row?.state === "active" ? "active" : "not-active", ...key };
  }

  /**
   * Stores the notification, durably once the promise resolves. A notification with a stored request id is a repeat, whatever its content.
   * `objects` must not be empty.
   */
  async take(key: InstallationKey, requestId: string, objects: readonly ChangedObject[]): Promise<Taken> {
    const { store, clock, log } = this.#services;
    const each = distinct(objects);
    const taken = await store.commit(async (tx): Promise<Taken> => {
      if ((await selectInstallation(tx, key))?.state !== "active") return { kind: "not-active" };
      const nowMs = clock.nowMs();
      const id = await insertNotification(tx, {
        app_id: key.appId,
        account_id: key.accountId,
        request_id: requestId,
        objects: each.length,
        events: JSON.stringify(each),
        day_ms: dayOf(nowMs),
        received_at_ms: nowMs,
        done_at_ms: null,
      });
      if (id === undefined) return { kind: "repeated" };
      const everything = (await countWaitingObjects(tx, key)) > MAX_WAITING_OBJECTS;
      if (everything) {
        await foldWaiting(tx, key, id, nowMs);
        await trimDone(tx, key, MAX_DONE_KEPT);
      }
      return { kind: "stored", objects: each.length, everything };
    });
    if (taken.kind === "stored") {
      if (taken.everything) log.warn({ ...key, limit: MAX_WAITING_OBJECTS }, "too many objects wait to be read again: all of them are");
      this.#work.wake(key);
    }
    return taken;
  }

  /** Continues an earlier process's work, in the background. */
  start(): void {
    this.#work.start();
  }

  /** Starts no new work and briefly waits for running readings. Unfinished work stays stored. */
  close(): Promise<void> {
    return this.#work.close();
  }
}
