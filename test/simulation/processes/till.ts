import { pause, systemClock } from "../../../src/kernel/clock.ts";
import { deadlineIn } from "../../../src/kernel/deadline.ts";
import { CALL_TIMEOUT_MS, type Exchange, send } from "../../../src/tools/sandbox/caller/call.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";
import { BrokenPromise, PlatformDocument, type Reaction, type Version } from "./document.ts";
import type { Progress } from "./reaper.ts";
import { cashDraft, type Draft, returnDraft, type Shop, type Sold, saleDraft, shiftDraft } from "./shop.ts";

/** The time limit of a document: several starts and deaths, and several times the five seconds after which the server looks again. */
const DOCUMENT_LIMIT_MS = 120_000;
const SHORTEST_PAUSE_MS = 30;
const PAUSE_SPREAD_MS = 250;
/** The shortest patience of a caller. Many answers take longer. */
const SHORTEST_TIMEOUT_MS = 20;
const MOST_AT_ONCE = 3;

const SHARE = {
  /** Share of documents that are sent several times at once. */
  several: 0.3,
  /** Share of documents that are also sent with another body at the same time. */
  otherBody: 0.12,
  /** Share of requests whose caller does not wait. */
  impatient: 0.08,
  /** Share of operations after which an old document is sent again, and the share of these repeats that have another body. */
  repeat: 0.25,
  otherRepeat: 0.1,
};

/** Where a till sends its requests: a server, or the proxy before several. */
export interface Place {
  readonly base: string;
  readonly alive: boolean;
  /** Called with every answer. Returns true for an answer that decides nothing, after which the till sends again. */
  heard?(exchange: Exchange): boolean;
}

export interface TillParts {
  shop: Shop;
  server: Place;
  progress: Progress;
  random: SeededRandom;
  signal: AbortSignal;
}

/** One till of the shop. It makes documents one after the other and repeats each until its answer is final. */
export class Till {
  readonly documents: PlatformDocument[] = [];
  readonly #parts: TillParts;
  readonly #drafts = new Map<PlatformDocument, Draft>();
  readonly #sold: Sold[] = [];

  constructor(parts: TillParts) {
    this.#parts = parts;
  }

  /** Makes so many operations, one after the other. */
  async work(operations: number): Promise<void> {
    const { random, signal } = this.#parts;
    for (let number = 1; number <= operations && !signal.aborted; number += 1) {
      await this.#make(random);
      if (random.fraction() < SHARE.repeat) await this.#repeatOld();
    }
  }

  async openShift(): Promise<void> {
    const { shop } = this.#parts;
    shop.takeNewShift();
    await this.#see(this.#add(shiftDraft("open", shop.till)));
  }

  async closeShift(): Promise<void> {
    await this.#see(this.#add(shiftDraft("close", this.#parts.shop.till)));
  }

  /** Repeats each document until it has an answer. Then each success must be answered once more with the same bytes. */
  async finish(): Promise<void> {
    for (const document of this.documents) {
      if (document.answered === undefined) await this.#see(document, true);
      const { version } = document.answered ?? {};
      if (version !== undefined) await this.#send(document, version);
    }
  }

  #make(random: SeededRandom): Promise<void> {
    const share = random.fraction();
    const sold = this.#sold[random.below(this.#sold.length || 1)];
    if (share < 0.12) return this.#see(this.#add(cashDraft(random, "in")));
    if (share < 0.2) return this.#see(this.#add(cashDraft(random, "out")));
    if (share < 0.32 && sold !== undefined) return this.#see(this.#add(returnDraft(random, sold)));
    return this.#sell(random);
  }

  async #sell(random: SeededRandom): Promise<void> {
    const { sold, draft } = saleDraft(random);
    await this.#see(this.#add(draft));
    this.#sold.push(sold);
  }

  #add(draft: Draft): PlatformDocument {
    const document = new PlatformDocument(draft.id, draft.operation);
    this.documents.push(document);
    this.#drafts.set(document, draft);
    document.versions.push(this.#parts.shop.versionOf(draft, 0));
    this.#parts.progress.begin();
    return document;
  }

  /** Sends a document until its answer is final. `calmly`: one request at a time. */
  async #see(document: PlatformDocument, calmly = false): Promise<void> {
    const { random, signal } = this.#parts;
    const deadline = deadlineIn(systemClock, DOCUMENT_LIMIT_MS);
    let current = document.versions[0];
    while (!signal.aborted && current !== undefined) {
      if (deadline.remainingMs() <= 0) throw new BrokenPromise(`${document.title} had no final answer within ${DOCUMENT_LIMIT_MS} ms`);
      const sent = calmly ? [current] : [current, ...this.#beside(document, current)];
      const reactions = await Promise.all(sent.map((version) => this.#send(document, version)));
      if (document.answered !== undefined) return;
      if (reactions.every((reaction) => reaction === "give-up")) return;
      current = this.#next(document, current, reactions[0] ?? "send-again");
      await pause(systemClock, SHORTEST_PAUSE_MS + random.fraction() * PAUSE_SPREAD_MS);
    }
  }

  /** The requests that are sent at the same time: the same one again, or another body. */
  #beside(document: PlatformDocument, current: Version): Version[] {
    const { random } = this.#parts;
    const beside = random.fraction() < SHARE.several ? Array<Version>(1 + random.below(MOST_AT_ONCE)).fill(current) : [];
    if (random.fraction() < SHARE.otherBody) beside.push(this.#newVersion(document));
    return beside;
  }

  #next(document: PlatformDocument, current: Version, reaction: Reaction): Version {
    const { shop } = this.#parts;
    if (reaction === "take-new-shift" && current.shiftId !== shop.till.shiftId) return this.#newVersion(document);
    if (reaction !== "send-other-version") return current;
    const { versions } = document;
    return versions[(versions.indexOf(current) + 1) % versions.length] ?? current;
  }

  #newVersion(document: PlatformDocument): Version {
    const draft = this.#drafts.get(document);
    if (draft === undefined) throw new Error(`${document.title} is not of this till`);
    const version = this.#parts.shop.versionOf(draft, document.versions.length);
    document.versions.push(version);
    return version;
  }

  /** Sends an old document again, unchanged or with another body. The document checks the answer. */
  async #repeatOld(): Promise<void> {
    const { random } = this.#parts;
    const old = this.documents[random.below(this.documents.length)];
    const version = old?.answered?.version;
    if (old === undefined || version === undefined) return;
    const other = random.fraction() < SHARE.otherRepeat;
    await this.#send(old, other ? this.#newVersion(old) : version);
  }

  async #send(document: PlatformDocument, version: Version): Promise<Reaction> {
    const { server, random } = this.#parts;
    const timeoutMs = random.fraction() < SHARE.impatient ? SHORTEST_TIMEOUT_MS + random.fraction() * 500 : CALL_TIMEOUT_MS;
    // While the server is down, another program may use its port.
    if (!server.alive) return "send-again";
    const exchange = await send(server.base, version.call, systemClock, timeoutMs);
    return server.heard?.(exchange) === true ? "send-again" : document.note(version, exchange);
  }
}
