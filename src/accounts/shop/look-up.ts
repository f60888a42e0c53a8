import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { present } from "../../kernel/present.ts";
import { paidKopecks } from "../../model/draft/payments.ts";
import { type Known, type ScaleEvidence, scaleEvidence } from "../../model/known.ts";
import { isNative, type Operation } from "../../model/operation.ts";
import type { PlatformClient } from "../../platform/client.ts";
import { isUuid } from "../../platform/reference.ts";
import type { InstallationKey } from "../installation.ts";
import { allOf, isForbidden } from "./all-of.ts";
import type { Clients } from "./clients.ts";
import type { Links, MoneyScale } from "./links.ts";
import { isTrade, LookUpData } from "./look-up-data.ts";
import { groupsOf, readGroup } from "./object-requests.ts";
import { GOODS_TYPES, isGoods, type ShopName, type ShopObject } from "./shop-object.ts";
import type { FoundObject, KeptObject, ShopObjects } from "./shop-objects.ts";
import { readUntypedGoods } from "./untyped-goods.ts";

/** The longest time that a sale waits for the platform (interface 6, Money unit), because a buyer waits at the till. */
export const LOOK_UP_LIMIT_MS = 300;
/**
 * After the platform has failed, or a sale has waited for the whole limit, no sale of the installation waits for the platform during this
 * time. So the queue at the till moves on.
 */
const QUIET_MS = 10_000;
/** Longest time of one look-up: it ends before a sale waits again. The data of a late look-up is still stored for the next sale. */
const ASKING_LIMIT_MS = 9_000;
/** The largest answer for a sale, in bytes. A hundred goods with their units are about 400 KB. Parsing an answer blocks all tills. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** The platform is not asked about stored data younger than this, unless the data is marked as changed. */
const FRESH_MS = 60_000;
/**
 * A sale may wait for newer data when the stored data is older than this. Data between `FRESH_MS` and this age is used at once, and may be
 * read again while the sale goes on.
 */
const HOLD_MS = 3_600_000;

interface LookUpServices {
  clients: Clients;
  objects: ShopObjects;
  links: Links;
  moneyScale: MoneyScale;
  clock: Clock;
  log: Log;
  /** Called at the end of each look-up, for the metrics. */
  observe(outcome: LookUpOutcome, durationMs: number): void;
}

/**
 * `late`: the time limit is over, and the requests go on. `off`: the installation has no access. `quiet`: the sale did not wait, because
 * the platform had just failed or been late. `forbidden`: a right is missing for some data; the other data was read.
 */
export type LookUpOutcome = "complete" | "late" | "failed" | "forbidden" | "quiet" | "off";

export interface LookUp {
  /** Absent: no data was found, so the settings decide. */
  known?: Known;
  /** What the document's sum shows about the scale of the amounts. `pinned`: the scale is proved, or nothing is sold or returned. */
  scale: ScaleEvidence | "pinned";
}

/**
 * Returns data of the platform's JSON API for an operation before its registration. Delays the operation by at most `LOOK_UP_LIMIT_MS`. A
 * failed look-up does not prevent the operation. Where data is late, the settings decide.
 */
export class SaleLookUp {
  readonly #services: LookUpServices;
  /** By installation: the monotonic time until which no sale waits. */
  readonly #quietUntil = new Map<string, number>();
  readonly #warned = new Set<string>();
  /** The objects that are being read while a sale goes on, by installation and id: two accounts may have the same ids. */
  readonly #refreshing = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(services: LookUpServices) {
    this.#services = services;
  }

  /** Never rejects. */
  async lookUp(key: InstallationKey, operation: Operation): Promise<LookUp> {
    const data = new LookUpData(operation);
    if (data.names.length === 0 && !isTrade(operation)) return { scale: "pinned" };
    const { clock, observe } = this.#services;
    const startedMs = clock.monotonicMs();
    const lookingUp = this.#findAll(key, operation, data);
    const waited = await waitUntil(clock, deadlineIn(clock, LOOK_UP_LIMIT_MS), lookingUp);
    const outcome = waited.kind === "late" ? "late" : waited.value;
    if (outcome === "late" || outcome === "failed") this.#hush(key);
    if (outcome === "late") this.#afterwards(key, operation, data, lookingUp);
    observe(outcome, clock.monotonicMs() - startedMs);
    return this.#result(key, operation, data, outcome);
  }

  /**
   * Returns the folders of goods, by the id of the goods. A stored folder counts whatever its age. The platform is asked for goods that are
   * not stored, whatever their type, except during `QUIET_MS` after a failure or a late answer. Goods whose folder is still unknown after
   * `LOOK_UP_LIMIT_MS` are left out. Never rejects.
   */
  async foldersOf(key: InstallationKey, goodsIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const ids = [...new Set(goodsIds.filter(isUuid).map((id) => id.toLowerCase()))];
    const folders = new Map<string, readonly string[]>();
    const take = (found: readonly { readonly id: string; readonly object?: ShopObject | undefined }[]) => {
      for (const { id, object } of found)
        if (object !== undefined && isGoods(object) && object.folderId !== undefined) folders.set(id, [object.folderId]);
    };
    const { clock, log } = this.#services;
    const reading = this.#readGoods(key, ids, take).catch((error: unknown) => {
      const values = { ...key, reason: messageOf(error) };
      if (isForbidden(error)) return this.#warnOnce(key, values, RIGHTS_MISSING);
      this.#hush(key);
      log.warn(values, "the folders of goods could not be read");
    });
    const waited = await waitUntil(clock, deadlineIn(clock, LOOK_UP_LIMIT_MS), reading);
    if (waited.kind === "late") this.#hush(key);
    // A late answer must not change what the caller uses.
    return new Map(folders);
  }

  async #readGoods(key: InstallationKey, ids: readonly string[], take: LookUpData["take"]): Promise<void> {
    const { clients, objects, clock } = this.#services;
    const kept = await objects.find(
      key,
      ids.flatMap((id) => GOODS_TYPES.map((type) => ({ type, id }))),
    );
    take(kept);
    const nowMs = clock.nowMs();
    // Goods that the platform did not know may exist a minute later.
    const known = new Set(kept.filter((each) => each.object !== undefined || ageMsOf(each, nowMs) <= FRESH_MS).map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    const client = missing.length === 0 || this.#isQuiet(key) ? undefined : await clients.of(key);
    if (client === undefined) return;
    await this.#bounded((signal) =>
      readUntypedGoods(client, missing, { signal, maxBytes: MAX_ANSWER_BYTES }, (found) => {
        take(found);
        this.#keep(key, found, nowMs);
      }),
    );
  }

  /** Stores a proved scale when the look-up has ended. By then the sale may have been sent, so only later sales use the scale. */
  #afterwards(key: InstallationKey, operation: Operation, data: LookUpData, lookingUp: Promise<unknown>): void {
    const { log, moneyScale } = this.#services;
    const proved = lookingUp.then(() => {
      const scale = this.#scaleOf(operation, data);
      if (scale === "agrees") this.#pin(key);
      if (scale !== "differs-by-100") return;
      const values = { ...key, document: operation.document.id, variable: "FISCAL_MONEY_SCALE", moneyScale };
      log.error(values, "a document shows, too late for its operation, that amounts come in another unit");
    });
    this.#beside(proved, () => {});
  }

  /** Aborts the running requests and waits for their work. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the server ends"));
    // An aborted request may still begin to store data, so the loop waits again.
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #findAll(key: InstallationKey, operation: Operation, data: LookUpData): Promise<Exclude<LookUpOutcome, "late">> {
    const { clients, objects, links, moneyScale, log } = this.#services;
    try {
      const client = await clients.of(key);
      if (client === undefined) return "off";
      const [kept, pinned] = await Promise.all([objects.find(key, data.names), links.moneyScale(key)]);
      data.take(kept);
      data.isPinned = pinned === moneyScale;
      if (this.#isQuiet(key)) return "quiet";
      const { due, used } = this.#byAge(data.names, kept);
      // If this sale stops waiting, the requests go on, and the next sale uses their answers. The document is requested first, because a
      // wrong scale is the worst error.
      const isSettled = due.length === 0 && documentIdOf(operation, data) === undefined;
      const answers = isSettled
        ? undefined
        : this.#bounded((signal) => allOf([askDocument(client, operation, data, signal), ...this.#ask(client, key, due, signal, data)]));
      this.#refresh(client, key, used);
      await answers;
      return "complete";
    } catch (error) {
      const values = { ...key, document: operation.document.id, reason: messageOf(error) };
      if (isForbidden(error)) {
        this.#warnOnce(key, values, RIGHTS_MISSING);
        return "forbidden";
      }
      log.warn(values, "the platform was asked about an operation in vain");
      return "failed";
    }
  }

  #byAge(names: readonly ShopName[], kept: readonly KeptObject[]): { due: ShopName[]; used: ShopName[] } {
    const nowMs = this.#services.clock.nowMs();
    const byId = new Map(kept.map((each) => [each.id, each]));
    const due: ShopName[] = [];
    const used: ShopName[] = [];
    for (const name of names) {
      const one = byId.get(name.id);
      const ageMs = one === undefined ? Number.POSITIVE_INFINITY : ageMsOf(one, nowMs);
      // An object that the platform does not know may exist a minute later, so the platform is asked again soon.
      const holdMs = one?.object === undefined ? FRESH_MS : HOLD_MS;
      if (one === undefined || one.stale || ageMs > holdMs) due.push(name);
      else if (ageMs > FRESH_MS) used.push(name);
    }
    return { due, used };
  }

  /** Reads the objects while the sale goes on. No object is refreshed twice at the same time. */
  #refresh(client: PlatformClient, key: InstallationKey, names: readonly ShopName[]): void {
    const { log } = this.#services;
    const own = ({ id }: ShopName) => `${nameOf(key)} ${id}`;
    const idle = names.filter((name) => !this.#refreshing.has(own(name)));
    if (idle.length === 0) return;
    for (const name of idle) this.#refreshing.add(own(name));
    const work = this.#bounded((signal) => allOf(this.#ask(client, key, idle, signal))).finally(() => {
      for (const name of idle) this.#refreshing.delete(own(name));
    });
    this.#beside(work, (error) => {
      const values = { ...key, reason: messageOf(error) };
      if (isForbidden(error)) return this.#warnOnce(key, values, RIGHTS_MISSING);
      this.#hush(key);
      log.warn(values, "what is known of goods could not be refreshed");
    });
  }

  /** Sends the requests and returns a promise for each, because each answer is useful alone. */
  #ask(
    client: PlatformClient,
    key: InstallationKey,
    names: readonly ShopName[],
    signal: AbortSignal,
    data?: Pick<LookUpData, "take">,
  ): Promise<void>[] {
    const { clock } = this.#services;
    return groupsOf(names).map(async (group) => {
      const readAtMs = clock.nowMs();
      const read = await readGroup(client, group, { signal, maxBytes: MAX_ANSWER_BYTES });
      data?.take(read);
      this.#keep(key, read, readAtMs);
    });
  }

  /** Stores what was read. No sale waits for this. */
  #keep(key: InstallationKey, read: readonly FoundObject[], readAtMs: number): void {
    const { objects, log } = this.#services;
    this.#beside(objects.keep(key, read, readAtMs), (error) =>
      log.warn({ ...key, reason: messageOf(error) }, "what the platform said could not be kept"),
    );
  }

  #result(key: InstallationKey, operation: Operation, data: LookUpData, outcome: LookUpOutcome): LookUp {
    const { known } = data;
    const scale = this.#scaleOf(operation, data);
    if (scale === "agrees") this.#pin(key);
    if (scale === "none" && outcome !== "off") {
      const values = { ...key, variable: "FISCAL_MONEY_SCALE", moneyScale: this.#services.moneyScale };
      this.#warnOnce(key, values, "nothing proves in which unit amounts come: the setting stands");
    }
    return { scale, ...present({ known }) };
  }

  #scaleOf(operation: Operation, { isPinned, documentKopecks }: LookUpData): LookUp["scale"] {
    if (isPinned || !isTrade(operation)) return "pinned";
    return documentKopecks === undefined ? "none" : scaleEvidence(paidKopecks(operation), documentKopecks);
  }

  #pin(key: InstallationKey): void {
    const { links, moneyScale, log } = this.#services;
    const pinned = links.pinMoneyScale(key, moneyScale).then(() => {
      log.info({ ...key, moneyScale }, "a document has proved in which unit amounts come");
    });
    // If the scale cannot be stored, the next sale proves it again.
    this.#beside(pinned, (error) => log.warn({ ...key, reason: messageOf(error) }, "what a document has proved could not be kept"));
  }

  #warnOnce(key: InstallationKey, values: Record<string, unknown>, text: string): void {
    const name = `${nameOf(key)} ${text}`;
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#services.log.warn(values, text);
  }

  #isQuiet(key: InstallationKey): boolean {
    return this.#services.clock.monotonicMs() < (this.#quietUntil.get(nameOf(key)) ?? 0);
  }

  #hush(key: InstallationKey): void {
    this.#quietUntil.set(nameOf(key), this.#services.clock.monotonicMs() + QUIET_MS);
  }

  /** Runs the work with a time limit, and aborts it when the server stops. The work may go on after its operation has ended. */
  async #bounded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const cancel = this.#services.clock.after(ASKING_LIMIT_MS, () => limit.abort(new Error(`no answer within ${ASKING_LIMIT_MS} ms`)));
    const done = work(AbortSignal.any([limit.signal, this.#closing.signal])).finally(cancel);
    this.#track(done);
    return await done;
  }

  /** Runs work that no operation waits for. */
  #beside(work: Promise<unknown>, failed: (error: unknown) => void): void {
    this.#track(work.catch(failed));
  }

  /** Makes `close` wait for the work. */
  #track(work: Promise<unknown>): void {
    const ended: Promise<void> = work.then(nothing, nothing).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
  }
}

const RIGHTS_MISSING = "rights are missing to ask the platform about operations";

function nothing(): void {}

/** Positive also for data that was read before the clock was set back. */
function ageMsOf({ readAtMs }: KeptObject, nowMs: number): number {
  return Math.abs(nowMs - readAtMs);
}

/** Reads the document's sum, which proves the unit of the operation's amounts. */
async function askDocument(client: PlatformClient, operation: Operation, data: LookUpData, signal: AbortSignal): Promise<void> {
  const id = documentIdOf(operation, data);
  if (id === undefined) return;
  const bounds = { signal, maxBytes: MAX_ANSWER_BYTES };
  const read = operation.kind === "sale" ? client.retailDemands.find(id, bounds) : client.retailSalesReturns.find(id, bounds);
  const found = await read;
  if (found?.id === id && typeof found.sum === "number") data.documentKopecks = found.sum;
}

/** Returns the document's id. Undefined: the scale is proved already, or no document can prove it. */
function documentIdOf(operation: Operation, { isPinned }: LookUpData): string | undefined {
  if (isPinned || !isTrade(operation) || !isNative(operation.document)) return undefined;
  // The platform writes its ids in lower case.
  const id = operation.document.id.toLowerCase();
  return isUuid(id) ? id : undefined;
}

function nameOf({ appId, accountId }: InstallationKey): string {
  return `${appId}/${accountId}`;
}
