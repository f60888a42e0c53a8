import { randomUUID } from "node:crypto";
import type { InstallationKey } from "../../src/accounts/installation.ts";
import { Installations } from "../../src/accounts/installations.ts";
import type { ChangedObject } from "../../src/accounts/shop/changed-object.ts";
import { Links } from "../../src/accounts/shop/links.ts";
import type { ChangesReading } from "../../src/accounts/shop/notification-work.ts";
import { Notifications } from "../../src/accounts/shop/notifications.ts";
import { type Clock, nextTurn, systemChance, systemClock } from "../../src/kernel/clock.ts";
import type { Log } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import type { Store } from "../../src/store/database.ts";

/** Made once, because deriving the key is slow on purpose. */
const SEAL = createSeal(new Secret("key of the tests"));

export interface Asked {
  key: InstallationKey;
  what: readonly ChangedObject[] | "everything";
}

/** Stands in for the reading of the shop. Keeps the questions, and does what `behave` says. */
export class AskedReading implements ChangesReading {
  readonly asked: Asked[] = [];
  /** May reject, to fail, or wait, to be slow. */
  behave: (asked: Asked, signal: AbortSignal) => Promise<void> = async () => {};

  reread(key: InstallationKey, objects: readonly ChangedObject[], signal: AbortSignal): Promise<void> {
    return this.#ask({ key, what: objects }, signal);
  }

  rereadAll(key: InstallationKey, signal: AbortSignal): Promise<void> {
    return this.#ask({ key, what: "everything" }, signal);
  }

  /** The questions about one installation, one for each reading. */
  of({ accountId }: InstallationKey): Asked["what"][] {
    return this.asked.filter(({ key }) => key.accountId === accountId).map(({ what }) => what);
  }

  #ask(asked: Asked, signal: AbortSignal): Promise<void> {
    this.asked.push(asked);
    return this.behave(asked, signal);
  }
}

/** The methods of a store that notifications use. A test may put functions of its own in their place. */
export type Door = Pick<Store, "read" | "commit">;

export type Notified = ReturnType<typeof openNotifications>;

/** Notifications with a database, and the installations that get them. */
export function openNotifications(store: Store, services: { clock: Clock; log: Log; reading: ChangesReading; door?: Door }) {
  const { clock, log, reading, door = store } = services;
  const installations = new Installations({ store, seal: SEAL, clock });
  const links = new Links({ store, seal: SEAL, chance: systemChance });
  const notifications = new Notifications({ store: door, links, reading, clock, log });
  return {
    installations,
    links,
    notifications,
    /** Makes an active installation, of a new account unless one is given. */
    async install(accountId: string = randomUUID()): Promise<InstallationKey> {
      const key = { appId: randomUUID(), accountId };
      await installations.activate(key, { accessToken: new Secret("a token") }, "active");
      return key;
    },
  };
}

export function product(id: string, action = "UPDATE"): ChangedObject {
  return { type: "product", id, action };
}

/**
 * The longest wait for a condition, as of `expect.poll`. It is a time and not a number of turns, because an idle turn takes a microsecond
 * and a busy machine lets a database or another thread wait.
 */
const LIMIT_MS = 15_000;

/** Waits until the condition holds. The time of a virtual clock does not pass. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = systemClock.monotonicMs() + LIMIT_MS;
  while (!(await condition())) {
    if (systemClock.monotonicMs() > endMs) throw new Error("it did not happen");
    await nextTurn();
  }
}
