import { type Clock, pause } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { PerKeyWork } from "../../kernel/per-key-work.ts";
import { type OnlyHere, Rounds } from "../../kernel/rounds.ts";
import type { PlatformClient } from "../../platform/client.ts";
import type { InstallationKey } from "../installation.ts";
import type { Installations } from "../installations.ts";
import type { Clients } from "./clients.ts";
import type { Links } from "./links.ts";
import type { ShopReading } from "./reading.ts";
import type { Subscriptions } from "./subscriptions.ts";

interface UpkeepServices {
  installations: Installations;
  clients: Clients;
  links: Links;
  reading: ShopReading;
  subscriptions: Subscriptions;
  clock: Clock;
  log: Log;
  /** Tells whether this process may do the work now. Absent: this is the only process. */
  onlyHere?: OnlyHere;
}

/** Notifications can be lost (json-api 9.2), so changes are also read at this interval. */
const READ_INTERVAL_MS = 3_600_000;
const RETRY_INTERVAL_MS = 5 * 60_000;
/** How often the server looks for due rounds, and for installations that have become active by their last setting. */
const LOOK_INTERVAL_MS = 15_000;

/** The longest time for making the webhooks: two dozen, which take seconds. A silent platform must not prevent the reading of the shop. */
const SUBSCRIBE_LIMIT_MS = 30_000;
/**
 * The longest time for one shop. A reading takes seconds, or minutes after a mass change. After this time the reading is aborted, so that
 * another shop can be read.
 */
const LOOK_AFTER_LIMIT_MS = 10 * 60_000;

/**
 * How long a stopping server waits for the running rounds. If the time is too short for a webhook that is being made, the next start finds
 * the webhook at the platform.
 */
const CLOSE_LIMIT_MS = 5_000;

/** Keeps each installation's shop up to date: at the start, hourly, and when an installation becomes active. */
export class ShopUpkeep {
  readonly #services: UpkeepServices;
  readonly #rounds: Rounds;
  readonly #underWay = new PerKeyWork<void>();
  /** Installations that need another round after their running round. */
  readonly #again = new Set<string>();
  /** By installation: the monotonic time of its next round. */
  readonly #dueAt = new Map<string, number>();
  readonly #closing = new AbortController();
  #publicUrl: string | undefined;

  constructor(services: UpkeepServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, LOOK_INTERVAL_MS, () => this.#round(), services.onlyHere);
  }

  /**
   * Starts the rounds. `publicUrl`: the address at which the platform reaches this server, without a slash at the end. Absent: webhooks are
   * impossible.
   */
  start(publicUrl: string | undefined): void {
    this.#publicUrl = publicUrl;
    this.#rounds.start();
  }

  /**
   * Starts a round for an installation that became active or got a new token. Does not wait for the round, because the platform waits for
   * the answer to its activation call. A running round may use the old token, so another round follows.
   */
  soon(key: InstallationKey): void {
    if (this.#underWay.has(nameOf(key))) this.#again.add(nameOf(key));
    else this.#begin(key);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the server ends"));
    await this.#rounds.close();
    const { clock } = this.#services;
    await waitUntil(clock, deadlineIn(clock, CLOSE_LIMIT_MS), this.#underWay.idle());
  }

  /** Starts the due rounds without waiting, so that a slow shop delays no other shop. */
  async #round(): Promise<void> {
    const { installations, clock, log } = this.#services;
    try {
      const active = await installations.keys(["active"]);
      const names = new Set(active.map(nameOf));
      for (const name of this.#dueAt.keys()) if (!names.has(name)) this.#dueAt.delete(name);
      for (const key of active) {
        if (this.#underWay.size >= MAX_AT_ONCE) return;
        if (clock.monotonicMs() >= (this.#dueAt.get(nameOf(key)) ?? 0)) this.#begin(key);
      }
    } catch (error) {
      log.error({ reason: messageOf(error) }, "the shops could not be looked after");
    }
  }

  /** Starts a round. In this process each installation has at most one round at a time. */
  #begin(key: InstallationKey): void {
    const name = nameOf(key);
    if (this.#closing.signal.aborted || this.#underWay.has(name)) return;
    const { result } = this.#underWay.join(name, undefined, () => this.#lookAfter(key));
    void result.then(() => {
      if (this.#again.delete(name)) this.#begin(key);
    });
  }

  /**
   * Makes the webhooks, then reads the shop. Never rejects. The webhooks come first, so that they report changes during the reading.
   * Without webhooks only the reading finds changes.
   */
  async #lookAfter(key: InstallationKey): Promise<void> {
    const { clients, reading, clock, log } = this.#services;
    const limit = new AbortController();
    const cancel = clock.after(LOOK_AFTER_LIMIT_MS, () => limit.abort(new Error(`not done within ${LOOK_AFTER_LIMIT_MS} ms`)));
    let done = false;
    try {
      const client = await clients.of(key);
      if (client === undefined) return;
      const subscribed = await this.#subscribe(key, client);
      const outcome = await reading.read(key, AbortSignal.any([limit.signal, this.#closing.signal]));
      done = subscribed && outcome !== "failed";
    } catch (error) {
      log.warn({ ...key, reason: messageOf(error), againInMs: RETRY_INTERVAL_MS }, "the shop could not be read from the platform");
    } finally {
      cancel();
      this.#dueAt.set(nameOf(key), clock.monotonicMs() + (done ? READ_INTERVAL_MS : RETRY_INTERVAL_MS));
    }
  }

  /**
   * Makes the webhooks. Returns false when the platform could not be asked or did not answer in time. After the limit the requests go on in
   * the background.
   */
  async #subscribe(key: InstallationKey, client: PlatformClient): Promise<boolean> {
    if (this.#publicUrl === undefined) return true;
    const { clock, log } = this.#services;
    const warn = (reason: string) =>
      log.warn(
        { ...key, reason, againInMs: RETRY_INTERVAL_MS },
        "webhooks could not be made at the platform; what changes is found by reading",
      );
    const subscribing = this.#makeWebhooks(key, client, this.#publicUrl).then(
      () => true,
      (error: unknown) => {
        warn(messageOf(error));
        return false;
      },
    );
    const over = new AbortController();
    const limit = pause(clock, SUBSCRIBE_LIMIT_MS, AbortSignal.any([over.signal, this.#closing.signal])).then(() => undefined);
    const subscribed = await Promise.race([subscribing, limit]);
    over.abort();
    if (subscribed === undefined && !this.#closing.signal.aborted) warn(`no answer within ${SUBSCRIBE_LIMIT_MS} ms`);
    return subscribed === true;
  }

  async #makeWebhooks(key: InstallationKey, client: PlatformClient, publicUrl: string): Promise<void> {
    const { links, subscriptions } = this.#services;
    const secret = await links.webhookSecret(key);
    await subscriptions.subscribe(key, client, `${publicUrl}/webhooks/${secret.reveal()}`);
  }
}

/**
 * While so many rounds run, no further due round starts, to limit this server's load. A round that `soon` begins starts anyway. Each
 * installation's client keeps the platform's limits of calls.
 */
const MAX_AT_ONCE = 32;

function nameOf({ appId, accountId }: InstallationKey): string {
  return `${appId}/${accountId}`;
}
