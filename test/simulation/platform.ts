import type { Entry } from "../../src/journal/entry.ts";
import { pause } from "../../src/kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../src/kernel/deadline.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { Operation, PlatformId } from "../../src/model/operation.ts";
import type { DoneOperation, Submitted } from "../../src/operations/submission.ts";
import { BrokenPromise } from "./broken-promise.ts";
import { contentHashOf, headOf, someOperation, versionOf, withVersion } from "./platform-operations.ts";
import { DAY_MS } from "./troubles.ts";
import type { World } from "./world.ts";

const APP = "app";
const ACCOUNT = "account";

/** How long a caller waits for an answer before it takes the connection for dead. */
const SHORTEST_TIMEOUT_MS = 1_000;
const TIMEOUT_SPREAD_MS = 14_000;
/** How often a document is tried before the cashier goes on to the next. */
const TRIES = 12;
const LONGEST_PAUSE_MS = 6_000;
/** How often a document is tried once nothing goes wrong any more. By then each document must get its answer. */
const CALM_TRIES = 40;

/** A document of the platform, with its answers. */
export interface PlatformDocument {
  operation: Operation;
  /** Changes when the platform sends the same document with another body. */
  version: number;
  /** The bytes of the first successful answer. They must never change. */
  answer?: string;
  /** The version that was answered with success. */
  answeredVersion?: number;
  last?: Submitted["kind"];
  /**
   * The document was registered, but is missing in the copy of the database that was restored. A repeat must be answered with
   * this document.
   */
  lost?: boolean;
  /** Nobody sends the document any more, because a person has compared the cash that the copy lacks. */
  given?: boolean;
}

/** Plays the platform and its cashier: sends, repeats, gives up early, changes the order, changes a body, sends a twin. */
export class Platform {
  readonly documents: PlatformDocument[] = [];
  readonly #world: World;
  /** False: the server may open shifts at this point of sale, and the platform sends neither openings nor closings. */
  readonly #sendsShifts: boolean;
  #shift: PlatformId = { id: "none", idType: "native" };

  constructor(world: World) {
    this.#world = world;
    this.#sendsShifts = world.rules.shiftOpening === "platform" || world.chance.happens(0.5);
  }

  /** Plays a shift with so many documents. */
  async workShift(number: number, count: number): Promise<void> {
    const { chance, device } = this.#world;
    const unseen: Promise<void>[] = [];
    this.#shift = { id: `shift-${number}`, idType: "native" };
    const early = chance.happens(this.#world.troubles.early)
      ? this.#add(someOperation(`${number}-early`, this.#shift, this.#world.wall, chance))
      : undefined;
    if (early !== undefined) await this.#see(early);
    await this.#report("open-shift");
    if (early !== undefined) await this.#see(early);
    await this.#maybePutDriveBack();
    for (let i = 1; i <= count; i += 1) {
      if (chance.happens(this.#world.troubles.dayPasses)) device.jumpClock(DAY_MS);
      const document = this.#add(someOperation(`${number}-${i}`, this.#shift, this.#world.wall, chance));
      const seen = this.#see(document).catch((error: unknown) => this.#world.fail(error));
      // Sometimes the cashier enters the next document before this one has its answer.
      if (chance.happens(0.15)) unseen.push(seen);
      else await seen;
      await this.#maybePutDriveBack();
      if (chance.happens(0.2)) await this.#repeatAnOldOne();
      if (chance.happens(this.#world.troubles.again)) await this.#repeatARefusedOne();
      await this.#maybePutDriveBack();
      if (chance.happens(0.05)) await this.#sendTwin(document);
    }
    await Promise.all(unseen);
    await this.#report("close-shift");
  }

  /** Sends every document until it has its answer. Nothing goes wrong any more. */
  async finishEverything(): Promise<void> {
    for (const document of this.documents) await this.#finish(document);
    // Repeats documents that were refused because of the shift that was open then.
    for (const document of this.documents) if (document.lost && document.last === "refused") await this.#finish(document);
  }

  async #finish(document: PlatformDocument): Promise<void> {
    for (let attempt = 1; attempt <= CALM_TRIES; attempt += 1) {
      if (await this.#send(document)) return;
      await pause(this.#world.clock, 1_000);
    }
  }

  async #report(kind: "open-shift" | "close-shift"): Promise<void> {
    if (!this.#sendsShifts) return;
    this.#world.passHour();
    await this.#see(this.#add({ ...headOf(this.#shift, this.#shift.id, this.#world.wall), kind, document: this.#shift }));
  }

  async #see(document: PlatformDocument): Promise<void> {
    const { chance, clock } = this.#world;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      if (chance.happens(0.04) && !document.lost) document.version += 1;
      if (await this.#send(document)) return;
      await pause(clock, chance.below(LONGEST_PAUSE_MS));
    }
  }

  async #repeatAnOldOne(): Promise<void> {
    const old = this.documents[this.#world.chance.below(this.documents.length)];
    if (old !== undefined) await this.#send(old);
  }

  async #maybePutDriveBack(): Promise<void> {
    if (this.#world.chance.happens(this.#world.troubles.driveBack)) await this.#world.putDriveBack();
    await this.#repeatLost(await this.#world.maybeRestore());
  }

  /** The platform sends some of the documents that the copy lacks at once, in any order, and the rest later. */
  async #repeatLost(lost: readonly Entry[]): Promise<void> {
    this.#forget(lost);
    if (lost.length === 0) return;
    const { chance } = this.#world;
    for (const document of this.documents.filter((one) => one.lost === true).sort(() => chance.next() - 0.5)) {
      if (chance.happens(0.5)) await this.#see(document);
    }
  }

  /**
   * Notes the entries that a restored copy lacks. Their documents are sent again as they were registered, except cash, which a person
   * compares.
   */
  #forget(lost: readonly Entry[]): void {
    const entries = new Map(lost.map((entry) => [`${entry.key.operation} ${entry.key.documentId}`, entry]));
    for (const document of this.documents) {
      const { operation } = document;
      const entry = entries.get(`${operation.kind} ${operation.document.id}`);
      if (entry === undefined) continue;
      if (operation.kind === "cash-in" || operation.kind === "cash-out") document.given = true;
      document.lost = document.given !== true;
      document.version = versionOf(entry.contentHash);
      delete document.answer;
      delete document.answeredVersion;
      delete document.last;
    }
  }

  /** The cause of a refusal may be gone by now, and other documents have been registered meanwhile. */
  async #repeatARefusedOne(): Promise<void> {
    const refused = this.documents.filter(({ last }) => last === "refused");
    if (refused.length > 0) await this.#see(this.#world.chance.pick(refused));
  }

  /** Sends the same document under an id that the till has made. It must not be registered beside the first. */
  async #sendTwin(document: PlatformDocument): Promise<void> {
    if (document.answeredVersion === undefined) return;
    const twin = { ...document.operation, document: { id: `${document.operation.document.id}-of-the-till`, idType: "sync" as const } };
    const submitted = await this.#submit(twin, document.answeredVersion);
    if (submitted?.kind === "done") throw new BrokenPromise(`${twin.document.id} was registered beside its twin`);
  }

  /** Sends one request. Returns true when its answer is final. */
  async #send(document: PlatformDocument): Promise<boolean> {
    const { version } = document;
    if (document.given) return true;
    const submitted = await this.#submit(document.operation, version);
    if (submitted === undefined) return false;
    document.last = submitted.kind;
    switch (submitted.kind) {
      case "done":
        this.#keepAnswer(document, version, submitted.answer.toString());
        return true;
      case "content-differs":
        // The server has another version. The platform goes back to the version that was answered, or tries another
        // one.
        document.version = document.answeredVersion ?? this.#world.chance.below(version + 1);
        return false;
      case "refused":
        return !["register-unreachable", "lane-stopped", "lane-full", "device-refused", "not-registered", "register-went-back"].includes(
          submitted.refusal.code,
        );
      default:
        return false;
    }
  }

  #keepAnswer(document: PlatformDocument, version: number, answer: string): void {
    if (document.answer !== undefined && document.answer !== answer) {
      throw new BrokenPromise(`${document.operation.document.id} was answered ${document.answer}, then ${answer}`);
    }
    if (document.answeredVersion !== undefined && document.answeredVersion !== version) {
      throw new BrokenPromise(`${document.operation.document.id} was done in two versions`);
    }
    document.answer = answer;
    document.answeredVersion = version;
  }

  /** Returns the answer. Undefined: there is no server, the server dies or fails, or the caller gives up. */
  async #submit(operation: Operation, version: number): Promise<Submitted | undefined> {
    const { server, chance, clock } = this.#world;
    if (server === undefined) return undefined;
    const submission = {
      appId: APP,
      accountId: ACCOUNT,
      operation: withVersion(operation, version),
      contentHash: contentHashOf(operation, version),
      twinHash: `${operation.kind} ${operation.name} ${version}`,
      answer: ({ facts, receipt }: DoneOperation) => Buffer.from(`${JSON.stringify(facts)} ${receipt?.length}`),
    };
    // The contract answers a failure with 500, which the platform takes as no answer.
    const work = server.operations.submit(submission).catch((error: unknown) => {
      if (error instanceof Failure) return undefined;
      throw error;
    });
    const deadline = deadlineIn(clock, SHORTEST_TIMEOUT_MS + chance.below(TIMEOUT_SPREAD_MS));
    const waited = await waitUntil(clock, deadline, Promise.race([work, server.life.died.then(() => undefined)]));
    return waited.kind === "finished" ? waited.value : undefined;
  }

  #add(operation: Operation): PlatformDocument {
    const document = { operation, version: 1 };
    this.documents.push(document);
    return document;
  }
}
