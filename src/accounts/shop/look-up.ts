import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { present } from "../../kernel/present.ts";
import { paidKopecks } from "../../model/draft/payments.ts";
import { type Known, type ScaleEvidence, scaleEvidence } from "../../model/known.ts";
import { isNative, type Operation } from "../../model/operation.ts";
import { PlatformFailure } from "../../platform/api/failure.ts";
import type { PlatformClient } from "../../platform/client.ts";
import { isUuid } from "../../platform/reference.ts";
import type { InstallationKey } from "../installation.ts";
import { groupsOf, readGroup } from "./asking.ts";
import type { Clients } from "./clients.ts";
import { Findings, isTrade } from "./findings.ts";
import type { Links, MoneyScale } from "./links.ts";
import type { ShopName } from "./shop-object.ts";
import type { KeptObject, ShopObjects } from "./shop-objects.ts";

/** What the platform may cost a sale (interface 6, Money unit): a person stands at the till. */
export const LOOK_UP_LIMIT_MS = 300;
/** For so long nobody waits for a platform that has just cost a sale its time: a queue at a till moves on. */
const QUIET_MS = 10_000;
/** A look-up that comes too late for its sale goes on for the next one, and is over when somebody waits again: it would be in the way. */
const ASKING_LIMIT_MS = 9_000;
/** The most that is taken of one answer for a sale: a hundred cards with their units are about 400 KB, and parsing stops every till. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Younger than this what is kept is used as it is. */
const FRESH_MS = 60_000;
/** Older than this it is asked for before it is used; in between it is used, and asked for beside the sale. */
const HOLD_MS = 3_600_000;

interface LookUpServices {
  clients: Clients;
  objects: ShopObjects;
  links: Links;
  /** FISCAL_MONEY_SCALE. */
  moneyScale: MoneyScale;
  clock: Clock;
  log: Log;
  /** Told of each look-up's end, for the metrics. */
  observe(outcome: LookUpOutcome, durationMs: number): void;
}

/**
 * `off`: the installation has no access; `quiet`: the platform was not waited for, since it failed a moment ago; `forbidden`: a right
 * is missing for some of it, the rest is there.
 */
export type LookUpOutcome = "complete" | "late" | "failed" | "forbidden" | "quiet" | "off";

export interface LookUp {
  /** Absent: nothing is known, the settings decide. */
  known?: Known;
  /** What the document's own sum says of the amounts, where the scale is not pinned yet. */
  scale: ScaleEvidence | "pinned";
}

/**
 * What the platform's JSON API says about an operation that is about to be registered. It costs the operation `LOOK_UP_LIMIT_MS`
 * at most, and never its registration: what is not known by then is left to the settings.
 */
export class SaleLookUp {
  readonly #services: LookUpServices;
  /** By installation: until when, in monotonic time, nobody waits. */
  readonly #quietUntil = new Map<string, number>();
  readonly #warned = new Set<string>();
  /** By installation and id: what is being asked for beside a sale. Two accounts may have objects of the same ids. */
  readonly #refreshing = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(services: LookUpServices) {
    this.#services = services;
  }

  /** Never rejects. */
  async lookUp(key: InstallationKey, operation: Operation): Promise<LookUp> {
    const findings = new Findings(operation);
    if (findings.names.length === 0 && !isTrade(operation)) return { scale: "pinned" };
    const { clock, observe } = this.#services;
    const startedMs = clock.monotonicMs();
    const finding = this.#findAll(key, operation, findings);
    const waited = await waitUntil(clock, deadlineIn(clock, LOOK_UP_LIMIT_MS), finding);
    const outcome = waited.kind === "late" ? "late" : waited.value;
    if (outcome === "late" || outcome === "failed") this.#hush(key);
    if (outcome === "late") this.#afterwards(key, operation, findings, finding);
    observe(outcome, clock.monotonicMs() - startedMs);
    return this.#result(key, operation, findings, outcome);
  }

  /** What a document proves after its operation went on counts for the next ones. */
  #afterwards(key: InstallationKey, operation: Operation, findings: Findings, finding: Promise<unknown>): void {
    const { log, moneyScale } = this.#services;
    const proved = finding.then(() => {
      const scale = this.#scaleOf(operation, findings);
      if (scale === "agrees") this.#pin(key);
      if (scale !== "differs-by-100") return;
      const values = { ...key, document: operation.document.id, variable: "FISCAL_MONEY_SCALE", moneyScale };
      log.error(values, "a document shows, too late for its operation, that amounts come in another unit");
    });
    this.#beside(proved, () => {});
  }

  /** Ends what is still being asked for. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the server ends"));
    // What ends may leave something to be kept.
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #findAll(key: InstallationKey, operation: Operation, findings: Findings): Promise<Exclude<LookUpOutcome, "late">> {
    const { clients, objects, links, moneyScale, log } = this.#services;
    try {
      const client = await clients.of(key);
      if (client === undefined) return "off";
      const [kept, pinned] = await Promise.all([objects.find(key, findings.names), links.moneyScale(key)]);
      findings.take(kept);
      findings.isPinned = pinned === moneyScale;
      if (this.#isQuiet(key)) return "quiet";
      const { due, used } = this.#byAge(findings.names, kept);
      // What is under way when the operation's time is over goes on, for the next one. The document first: money counts most.
      const isSettled = due.length === 0 && documentIdOf(operation, findings) === undefined;
      const asking = isSettled
        ? undefined
        : this.#bounded((signal) =>
            allOf([askDocument(client, operation, findings, signal), ...this.#ask(client, key, due, signal, findings)]),
          );
      this.#refresh(client, key, used);
      await asking;
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
      const ageMs = one === undefined ? Number.POSITIVE_INFINITY : Math.abs(nowMs - one.readAtMs);
      // An id that the platform did not know may be known a minute later.
      const holdMs = one?.object === undefined ? FRESH_MS : HOLD_MS;
      if (one === undefined || one.stale || ageMs > holdMs) due.push(name);
      else if (ageMs > FRESH_MS) used.push(name);
    }
    return { due, used };
  }

  /** Asked for beside the sale, once at a time. */
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

  /** One promise for each request: what one of them brings is of use without the others. */
  #ask(
    client: PlatformClient,
    key: InstallationKey,
    names: readonly ShopName[],
    signal: AbortSignal,
    findings?: Findings,
  ): Promise<void>[] {
    const { objects, clock, log } = this.#services;
    return groupsOf(names).map(async (group) => {
      const readAtMs = clock.nowMs();
      const read = await readGroup(client, group, { signal, maxBytes: MAX_ANSWER_BYTES });
      findings?.take(read);
      // No sale waits for a copy to be written.
      this.#beside(objects.keep(key, read, readAtMs), (error) =>
        log.warn({ ...key, reason: messageOf(error) }, "what the platform said could not be kept"),
      );
    });
  }

  #result(key: InstallationKey, operation: Operation, findings: Findings, outcome: LookUpOutcome): LookUp {
    const { known } = findings;
    const scale = this.#scaleOf(operation, findings);
    if (scale === "agrees") this.#pin(key);
    if (scale === "none" && outcome !== "off") {
      const values = { ...key, variable: "FISCAL_MONEY_SCALE", moneyScale: this.#services.moneyScale };
      this.#warnOnce(key, values, "nothing proves in which unit amounts come: the setting stands");
    }
    return { scale, ...present({ known }) };
  }

  #scaleOf(operation: Operation, { isPinned, documentKopecks }: Findings): LookUp["scale"] {
    if (isPinned || !isTrade(operation)) return "pinned";
    return documentKopecks === undefined ? "none" : scaleEvidence(paidKopecks(operation), documentKopecks);
  }

  #pin(key: InstallationKey): void {
    const { links, moneyScale, log } = this.#services;
    const pinned = links.pinMoneyScale(key, moneyScale).then(() => {
      log.info({ ...key, moneyScale }, "a document has proved in which unit amounts come");
    });
    // The next sale proves it again.
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

  /** Work that outlives its operation ends all the same, and with the server. */
  async #bounded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const cancel = this.#services.clock.after(ASKING_LIMIT_MS, () => limit.abort(new Error(`no answer within ${ASKING_LIMIT_MS} ms`)));
    const done = work(AbortSignal.any([limit.signal, this.#closing.signal])).finally(cancel);
    this.#track(done);
    return await done;
  }

  /** Work that no operation waits for. */
  #beside(work: Promise<unknown>, failed: (error: unknown) => void): void {
    this.#track(work.catch(failed));
  }

  /** So that the end waits for it. */
  #track(work: Promise<unknown>): void {
    const ended: Promise<void> = work.then(nothing, nothing).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
  }
}

const RIGHTS_MISSING = "rights are missing to ask the platform about operations";

function nothing(): void {}

/** The sum of the document itself, which proves in which unit the operation's amounts came. */
async function askDocument(client: PlatformClient, operation: Operation, findings: Findings, signal: AbortSignal): Promise<void> {
  const id = documentIdOf(operation, findings);
  if (id === undefined) return;
  const bounds = { signal, maxBytes: MAX_ANSWER_BYTES };
  const read = operation.kind === "sale" ? client.retailDemands.find(id, bounds) : client.retailSalesReturns.find(id, bounds);
  const found = await read;
  if (found?.id === id && typeof found.sum === "number") findings.documentKopecks = found.sum;
}

/** Undefined: nothing is to be proved, or no document can. */
function documentIdOf(operation: Operation, { isPinned }: Findings): string | undefined {
  if (isPinned || !isTrade(operation) || !isNative(operation.document)) return undefined;
  // The platform writes its ids in lower case.
  const id = operation.document.id.toLowerCase();
  return isUuid(id) ? id : undefined;
}

/** Waits for all, also when some fail. Fails with what says most of the platform: a missing right says least. */
async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(works);
  const errors = ends.flatMap((end): unknown[] => (end.status === "rejected" ? [end.reason] : []));
  if (errors.length > 0) throw errors.find((error) => !isForbidden(error)) ?? errors[0];
}

function isForbidden(error: unknown): boolean {
  return error instanceof PlatformFailure && error.status === 403;
}

function nameOf({ appId, accountId }: InstallationKey): string {
  return `${appId}/${accountId}`;
}
