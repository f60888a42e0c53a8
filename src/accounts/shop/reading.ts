import { type Clock, nextTurn } from "../../kernel/clock.ts";
import { cutText } from "../../kernel/cut-text.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { PlatformFailure } from "../../platform/api/failure.ts";
import type { PlatformClient } from "../../platform/client.ts";
import { isUuid } from "../../platform/reference.ts";
import { instantOfMoment, momentOf } from "../../platform/time.ts";
import type { InstallationKey } from "../installation.ts";
import type { ChangedObject } from "./changed-object.ts";
import type { Clients } from "./clients.ts";
import type { Links } from "./links.ts";
import { groupsOf, readGroup } from "./object-requests.ts";
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
 * `read`: every type was read, except types for which a right is missing. `failed`: some objects are still to be read. In both cases the
 * link stores the problems, for people. `not-active`: the installation may not call the platform, or its token has changed; neither the
 * moment of the reading nor its problems were stored.
 */
type ReadingOutcome = "read" | "failed" | "not-active";

interface ReadingBounds {
  whole: boolean;
  sinceMs: number;
  signal: AbortSignal;
}

interface ReadTypes {
  /** Every change up to this moment is read. */
  toMs: number;
  /** `early`: some types are still to be read. `not-active`: the token is no longer valid. */
  ended: "well" | "early" | "not-active";
  problems: string[];
}

/**
 * The largest expected difference between the clocks of platform and server. Changes within this time may be read twice, which is harmless.
 */
const CLOCK_SKEW_MS = 10 * 60_000;
/** Changes of the last minute may be missing in the lists, so they are read again. */
const OVERLAP_MS = 60_000;
/** All objects except goods are read once a day, because lists of changes show no deletions. */
const WHOLE_INTERVAL_MS = 24 * 3_600_000;
/**
 * The maximum number of changed goods of a type that are read. More changes come from a program, not from people. Then all goods of the
 * type are marked as changed, and each is read again when it is sold.
 */
const MAX_CHANGED_GOODS = 5_000;
/** One reading stores at most this many objects of each type, except goods. An account has a few hundred objects of a type at most. */
const MAX_OBJECTS_OF_A_TYPE = 10_000;
/**
 * How long an object that no reading found is kept when the type has too many objects to be read whole. All are then marked as changed, so
 * an object in use is read again at its next use. Without this end a platform with ever new ids would fill the database.
 */
const KEPT_UNREAD_MS = 30 * 24 * 3_600_000;
/** Rows checked and stored in one commit. With their longest texts they take about 20 ms; then other work may run. */
const BATCH = 25;

/**
 * Keeps the stored objects of a shop equal to the objects at the platform. Reads all objects except goods once a day, and changed objects
 * hourly. Reads immediately the objects that a notification names. Goods are read when they are first sold, and read again after a change.
 */
export class ShopReading {
  readonly #services: ReadingServices;

  constructor(services: ReadingServices) {
    this.#services = services;
  }

  /** Reads the changes since the last reading. Stores problems for people. After `failed` the next reading reads the same changes again. */
  read(key: InstallationKey, signal: AbortSignal): Promise<ReadingOutcome> {
    return this.#read(key, signal, "when-due");
  }

  /**
   * Reads all objects except goods, when the platform reports too many changes to read one by one. Goods are marked as changed, and read
   * again when they are sold. @throws PlatformFailure
   */
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
    // `Math.abs`, because the stored moment may be in the future after the clock was set back.
    const whole = everything === "now" || wholeReadAtMs === undefined || Math.abs(startedMs - wholeReadAtMs) >= WHOLE_INTERVAL_MS;
    const sinceMs = Math.min(readToMs ?? startedMs - CLOCK_SKEW_MS, startedMs + CLOCK_SKEW_MS);
    const types = await this.#readTypes(client, key, { whole, sinceMs, signal });
    // If the token was revoked meanwhile, neither the moment nor the problems are stored.
    if (types.ended === "not-active" || !(await this.#isInForce(key, client))) return "not-active";
    const problem = types.problems.length === 0 ? {} : { problem: cutText(types.problems.join("; "), MAX_PROBLEM_LENGTH) };
    if (types.problems.length > 0) log.warn({ ...key, problems: types.problems }, "the shop could not be read whole from the platform");
    const atMs = clock.nowMs();
    if (types.ended === "early") await links.noteReading(key, { atMs, ...problem });
    else await links.noteReading(key, { atMs, toMs: Math.min(types.toMs, atMs + CLOCK_SKEW_MS), whole, ...problem });
    return types.ended === "early" ? "failed" : "read";
  }

  /**
   * Reads one type after another. A type that the token may not read is reported and skipped. A skipped type causes no early repeat of the
   * reading, because the repeat would not help.
   */
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
        // Other types would probably fail too, for example because the platform does not answer or rejects the token.
        if (error instanceof PlatformFailure) break;
      }
    }
    // An object may have changed during this reading, after its type was read. So the next reading begins earlier, by the duration of this
    // reading.
    const tookMs = Math.ceil(clock.monotonicMs() - begunMs);
    return { toMs: Math.max(bounds.sinceMs, newestMs - tookMs), ended, problems };
  }

  /** Reads the objects that the platform reports as changed. Safe to repeat. @throws PlatformFailure */
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
      // If the token was revoked meanwhile, the objects are not stored and stay marked as changed.
      if (!(await this.#isInForce(key, client))) continue;
      // Not reported here: the reading of the whole type reports the missing right.
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

  /** False when the installation was suspended, uninstalled or given another token. */
  async #isInForce(key: InstallationKey, client: PlatformClient): Promise<boolean> {
    return (await this.#services.clients.of(key)) === client;
  }

  /** Reads one type and returns the moment of the newest change that was read; 0 if there was none. */
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
    const limit = isGoodsType(type) ? MAX_CHANGED_GOODS : MAX_OBJECTS_OF_A_TYPE;
    let newestMs = 0;
    let seen = 0;
    for await (const batch of batches(readAllOf(client, type, all ? undefined : momentOf(sinceMs - OVERLAP_MS), { signal }))) {
      if (!(await this.#isInForce(key, client))) return "not-active";
      seen += batch.length;
      if (seen > limit) {
        await objects.mark(key, [{ type }], clock.nowMs());
        // The list was not read to its end, so an object that was not found may still be there.
        if (all) await objects.removeUnread(key, type, startedMs - KEPT_UNREAD_MS);
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

  /** Leaves out goods that are not stored: they are read when they are sold. */
  async #wanted<Name extends ShopName>(key: InstallationKey, names: readonly Name[]): Promise<Name[]> {
    const goods = names.filter(({ type }) => isGoodsType(type));
    const kept = new Set((await this.#services.objects.find(key, goods)).map(({ id }) => id));
    return names.filter(({ type, id }) => !isGoodsType(type) || kept.has(id));
  }
}

const MAX_PROBLEM_LENGTH = 500;

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
    await nextTurn();
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
