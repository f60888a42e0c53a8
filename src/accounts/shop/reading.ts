import type { Clock } from "../../kernel/clock.ts";
import { cutText } from "../../kernel/cut-text.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { PlatformFailure } from "../../platform/api/failure.ts";
import type { PlatformClient } from "../../platform/client.ts";
import { isUuid } from "../../platform/reference.ts";
import { instantOfMoment, momentOf } from "../../platform/time.ts";
import type { InstallationKey } from "../installation.ts";
import { groupsOf, readGroup } from "./asking.ts";
import type { ChangedObject } from "./changed-object.ts";
import type { Clients } from "./clients.ts";
import type { Links } from "./links.ts";
import {
  DEPENDENT_TYPES,
  GOODS_TYPES,
  isGoodsType,
  SHOP_TYPES,
  type ShopName,
  type ShopObject,
  type ShopType,
  shopTypeNamed,
} from "./shop-object.ts";
import type { ShopObjects } from "./shop-objects.ts";
import { type ReadRow, readAllOf } from "./sources.ts";

interface ReadingServices {
  clients: Clients;
  objects: ShopObjects;
  links: Links;
  clock: Clock;
  log: Log;
}

/**
 * `failed`: some of it is still to be read. What went wrong is kept with the link, for people. `not-active`: nobody may be asked,
 * or not any more as it was done; nothing was noted.
 */
type ReadingOutcome = "read" | "failed" | "not-active";

interface ReadingBounds {
  whole: boolean;
  sinceMs: number;
  signal: AbortSignal;
}

interface ReadTypes {
  /** Every change up to then has been read. */
  toMs: number;
  /** `early`: some of it is still to be read. `not-active`: what was asked is not in force any more. */
  ended: "well" | "early" | "not-active";
  problems: string[];
}

/** The platform's clock and ours may differ by this much; what is read twice harms nothing. */
const CLOCK_SKEW_MS = 10 * 60_000;
/** Changes of the last minute may not have been in the lists yet. */
const OVERLAP_MS = 60_000;
/** A day: changes tell of nothing that was deleted. */
const WHOLE_INTERVAL_MS = 24 * 3_600_000;
/** More changed goods than a person makes: then all of the type are asked for anew when they are sold. */
const MAX_CHANGED_GOODS = 5_000;
/** What is kept of one type of furniture; an account has a few hundred at the very most. */
const MAX_FURNITURE = 10_000;
/** Rows that are looked up and kept in one commit. */
const BATCH = 100;

/**
 * Keeps what is known of a shop like the platform has it: everything once a day, what changed meanwhile, and each object that a
 * notification names. Goods are not read ahead: only those that were sold before are read again.
 */
export class ShopReading {
  readonly #services: ReadingServices;

  constructor(services: ReadingServices) {
    this.#services = services;
  }

  /** Reads what changed since the last time. What goes wrong is kept for people, and the next reading begins where this one did. */
  read(key: InstallationKey, signal: AbortSignal): Promise<ReadingOutcome> {
    return this.#read(key, signal, "when-due");
  }

  /** More has changed than is worth naming: everything is read, and goods are asked for anew. @throws PlatformFailure */
  async rereadAll(key: InstallationKey, signal: AbortSignal): Promise<void> {
    await this.#services.objects.mark(
      key,
      GOODS_TYPES.map((type) => ({ type })),
      this.#services.clock.nowMs(),
    );
    const outcome = await this.#read(key, signal, "now");
    if (outcome === "failed") throw new PlatformFailure("unavailable", "the shop could not be read whole");
  }

  async #read(key: InstallationKey, signal: AbortSignal, everything: "now" | "when-due"): Promise<ReadingOutcome> {
    const { clients, links, clock, log } = this.#services;
    const client = await clients.of(key);
    if (client === undefined) return "not-active";
    const startedMs = clock.nowMs();
    const { readToMs, wholeReadAtMs } = await links.of(key);
    // A clock that was set may have left moments of the future behind.
    const whole = everything === "now" || wholeReadAtMs === undefined || Math.abs(startedMs - wholeReadAtMs) >= WHOLE_INTERVAL_MS;
    const sinceMs = Math.min(readToMs ?? startedMs - CLOCK_SKEW_MS, startedMs + CLOCK_SKEW_MS);
    const types = await this.#readTypes(client, key, { whole, sinceMs, signal });
    // Also what went wrong says nothing when it was asked with a token that has been taken away.
    if (types.ended === "not-active" || !(await this.#isInForce(key, client))) return "not-active";
    const problem = types.problems.length === 0 ? {} : { problem: cutText(types.problems.join("; "), MAX_PROBLEM_LENGTH) };
    if (types.problems.length > 0) log.warn({ ...key, problems: types.problems }, "the shop could not be read whole from the platform");
    const atMs = clock.nowMs();
    if (types.ended === "early") await links.noteReading(key, { atMs, ...problem });
    else await links.noteReading(key, { atMs, toMs: Math.min(types.toMs, atMs + CLOCK_SKEW_MS), whole, ...problem });
    return types.ended === "early" ? "failed" : "read";
  }

  /** One type after the other. One that may not be seen is told of and does not keep the others: asking again soon would not help. */
  async #readTypes(client: PlatformClient, key: InstallationKey, bounds: ReadingBounds): Promise<ReadTypes> {
    const { clock } = this.#services;
    const begunMs = clock.monotonicMs();
    let newestMs = bounds.sinceMs;
    let ended: ReadTypes["ended"] = "well";
    const problems: string[] = [];
    for (const type of SHOP_TYPES) {
      try {
        const newestOfType = await this.#readType(client, key, type, bounds);
        if (newestOfType === "not-active") return { toMs: bounds.sinceMs, ended: "not-active", problems: [] };
        newestMs = Math.max(newestMs, newestOfType);
      } catch (error) {
        if (error instanceof Failure && !(error instanceof PlatformFailure)) throw error;
        problems.push(`${type}: ${messageOf(error)}`);
        if (isForbidden(error)) continue;
        ended = "early";
        // A platform that does not answer, or does not know us, has no more to say of the other types.
        if (error instanceof PlatformFailure) break;
      }
    }
    // What changed in a type after that was read is older than the newest change that was seen by no more than the reading took.
    const tookMs = Math.ceil(clock.monotonicMs() - begunMs);
    return { toMs: Math.max(bounds.sinceMs, newestMs - tookMs), ended, problems };
  }

  /** Reads objects again that the platform says have changed. Safe to repeat. @throws PlatformFailure */
  async reread(key: InstallationKey, changed: readonly ChangedObject[], signal: AbortSignal): Promise<void> {
    const { clients, objects, clock } = this.#services;
    if ((await clients.of(key)) === undefined) return;
    const known = changed.flatMap(({ type, id, action }) => {
      const name = shopTypeNamed(type);
      return name === undefined || !isUuid(id) ? [] : [{ type: name, id, action }];
    });
    await objects.remove(
      key,
      known.filter(({ action }) => action === "DELETE"),
    );
    const alive = known.filter(({ action }) => action !== "DELETE");
    await objects.mark(key, [...alive, ...dependentsOf(alive)], clock.nowMs());
    for (const group of groupsOf(await this.#wanted(key, alive))) {
      const client = await clients.of(key);
      if (client === undefined) return;
      const readAtMs = clock.nowMs();
      const read = await readGroup(client, group, { signal }).catch(asForbidden);
      // What a token brought that has been taken away meanwhile is not kept: it stays marked.
      if (!(await this.#isInForce(key, client))) continue;
      // The reading of its whole type tells people of the right that is missing.
      if (read === "forbidden") continue;
      const gone = read.filter(({ object }) => object === undefined);
      await objects.remove(key, gone);
      await objects.keep(
        key,
        read.filter(({ object }) => object !== undefined),
        readAtMs,
      );
    }
  }

  /** An installation that is suspended or uninstalled, or has got another token, is asked for no more. */
  async #isInForce(key: InstallationKey, client: PlatformClient): Promise<boolean> {
    return (await this.#services.clients.of(key)) === client;
  }

  /** The newest change that was seen. */
  async #readType(
    client: PlatformClient,
    key: InstallationKey,
    type: ShopType,
    { whole, sinceMs, signal }: ReadingBounds,
  ): Promise<number | "not-active"> {
    const { objects, clock } = this.#services;
    if (!(await this.#isInForce(key, client))) return "not-active";
    const startedMs = clock.nowMs();
    const all = whole && !isGoodsType(type);
    const limit = isGoodsType(type) ? MAX_CHANGED_GOODS : MAX_FURNITURE;
    let newestMs = 0;
    let seen = 0;
    for await (const batch of batches(readAllOf(client, type, all ? undefined : momentOf(sinceMs - OVERLAP_MS), { signal }))) {
      if (!(await this.#isInForce(key, client))) return "not-active";
      seen += batch.length;
      if (seen > limit) {
        await objects.mark(key, [{ type }], clock.nowMs());
        return newestMs;
      }
      newestMs = Math.max(newestMs, ...batch.map(({ updated }) => instantOfMoment(updated ?? "") ?? 0));
      await this.#keep(
        key,
        batch.map(({ object }) => object),
        startedMs,
      );
    }
    if (!(await this.#isInForce(key, client))) return "not-active";
    if (all) await objects.removeUnread(key, type, startedMs);
    return newestMs;
  }

  async #keep(key: InstallationKey, read: readonly ShopObject[], readAtMs: number): Promise<void> {
    const { objects, clock } = this.#services;
    const wanted = await this.#wanted(key, read);
    await objects.keep(
      key,
      wanted.map((object) => ({ type: object.type, id: object.id, object })),
      readAtMs,
    );
    await objects.mark(key, dependentsOf(read), clock.nowMs());
  }

  /** Furniture always, goods when they are known already. */
  async #wanted<Name extends ShopName>(key: InstallationKey, names: readonly Name[]): Promise<Name[]> {
    const goods = names.filter(({ type }) => isGoodsType(type));
    const kept = new Set((await this.#services.objects.find(key, goods)).map(({ id }) => id));
    return names.filter(({ type, id }) => !isGoodsType(type) || kept.has(id));
  }
}

const MAX_PROBLEM_LENGTH = 500;

/** A right that is missing, for good or until a person grants it. */
function isForbidden(error: unknown): boolean {
  return error instanceof PlatformFailure && error.status === 403;
}

function asForbidden(error: unknown): "forbidden" {
  if (isForbidden(error)) return "forbidden";
  throw error;
}

function dependentsOf(changed: readonly ShopName[]): { type: ShopType }[] {
  const types = new Set(changed.flatMap(({ type }) => DEPENDENT_TYPES[type] ?? []));
  return [...types].map((type) => ({ type }));
}

async function* batches(rows: AsyncIterable<ReadRow>): AsyncIterable<ReadRow[]> {
  let batch: ReadRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
