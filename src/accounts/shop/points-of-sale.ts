import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { PerKeyWork } from "../../kernel/per-key-work.ts";
import type { InstallationKey } from "../installation.ts";
import type { Settings } from "../settings.ts";
import type { ShopObject } from "./shop-object.ts";
import type { ShopObjects } from "./shop-objects.ts";

interface PointServices {
  objects: ShopObjects;
  settings: Pick<Settings, "storesSet">;
  /**
   * Reads the points of sale of an installation, even while it waits for its settings. The regular reading skips such an installation.
   * Undefined: the installation may not call the platform.
   */
  readStores(key: InstallationKey, signal: AbortSignal): Promise<ShopObject[] | undefined>;
  clock: Clock;
  log: Log;
}

export interface KnownPoint {
  id: string;
  /** Absent: no data of the platform about this point of sale is stored. The point of sale is listed because it has a setting. */
  name?: string;
  address?: string;
  archived: boolean;
}

/**
 * `read`: the list is known. `reading`: the platform has not answered yet. `failed`: the points of sale could not be read. `not-asked`: the
 * installation may not call the platform.
 */
export interface PointList {
  points: readonly KnownPoint[];
  standing: Standing | "reading";
}

type Standing = "read" | "failed" | "not-asked";

/**
 * How long a page waits for the platform: a page must open within a second. Points of sale that arrive later are shown when the page is
 * loaded again.
 */
const PAGE_WAIT_MS = 700;
/** The longest time for reading all points of sale of an account. After a failure the next load of the settings page reads them again. */
const READ_LIMIT_MS = 10_000;

/** The points of sale of an account, for people: those of the platform, and those with a stored setting. */
export class PointsOfSale {
  readonly #services: PointServices;
  readonly #reading = new PerKeyWork<Standing>();
  readonly #closing = new AbortController();

  constructor(services: PointServices) {
    this.#services = services;
  }

  /** Returns the points of sale. Asks the platform only while none of the account's points of sale is stored. */
  async list(key: InstallationKey): Promise<PointList> {
    const stored = await this.#stored(key);
    if (stored.length > 0) return { points: await this.#withSet(key, stored), standing: "read" };
    const { clock } = this.#services;
    const { result } = this.#reading.join(`${key.appId}/${key.accountId}`, undefined, () => this.#read(key));
    const waited = await waitUntil(clock, deadlineIn(clock, PAGE_WAIT_MS), result);
    const standing = waited.kind === "late" ? "reading" : waited.value;
    return { points: await this.#withSet(key, await this.#stored(key)), standing };
  }

  /** Ends the readings, and waits until they have ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the server ends"));
    await this.#reading.idle();
  }

  async #stored(key: InstallationKey): Promise<KnownPoint[]> {
    const kept = await this.#services.objects.list(key, ["retailstore"]);
    return kept.flatMap(({ object }) => (object?.type === "retailstore" ? [pointOf(object)] : []));
  }

  async #withSet(key: InstallationKey, stored: readonly KnownPoint[]): Promise<KnownPoint[]> {
    const names = new Set(stored.map(({ id }) => id));
    const unknown = (await this.#services.settings.storesSet(key)).filter((id) => !names.has(id));
    const named = stored.toSorted((a, b) => BY_NAME.compare(a.name ?? "", b.name ?? ""));
    return [...named, ...unknown.map((id) => ({ id, archived: false }))];
  }

  async #read(key: InstallationKey): Promise<Standing> {
    const { objects, readStores, clock, log } = this.#services;
    const limit = new AbortController();
    const cancel = clock.after(READ_LIMIT_MS, () => limit.abort(new Error(`no answer within ${READ_LIMIT_MS} ms`)));
    try {
      const readAtMs = clock.nowMs();
      const found = await readStores(key, AbortSignal.any([limit.signal, this.#closing.signal]));
      if (found === undefined) return "not-asked";
      await objects.keep(
        key,
        found.map((object) => ({ type: object.type, id: object.id, object })),
        readAtMs,
      );
      return "read";
    } catch (error) {
      log.warn({ ...key, reason: messageOf(error) }, "the points of sale could not be read from the platform");
      return "failed";
    } finally {
      cancel();
    }
  }
}

const BY_NAME = new Intl.Collator("ru", { numeric: true });

function pointOf({ id, name, address, archived }: Extract<ShopObject, { type: "retailstore" }>): KnownPoint {
  return { id, name, archived: archived === true, ...(address === undefined ? {} : { address }) };
}
