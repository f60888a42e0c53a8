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
/** Tries of one document before the cashier goes on to the next. */
const TRIES = 12;
const LONGEST_PAUSE_MS = 6_000;
/** Tries once nothing goes wrong any more: by then each document must get its answer. */
const CALM_TRIES = 40;

/** A document of the platform's, and what it was told of it. */
export interface PlatformDocument {
  operation: Operation;
  /** Changes when the platform sends the same document with another body. */
  version: number;
  /** Bytes of the first successful answer: they may never change. */
  answer?: string;
  /** Version that was answered with success. */
  answeredVersion?: number;
  last?: Submitted["kind"];
  /** It was registered, and the copy of the database that was restored does not have it: the repeat must be answered with it. */
  lost?: boolean;
  /** Nobody sends it any more: a person has compared the cash that the copy lacks. */
  given?: boolean;
}

/** Plays the platform and its cashier: sends, repeats, gives up early, reorders, changes a body, sends a twin. */
export class Platform {
  readonly documents: PlatformDocument[] = [];
  readonly #world: World;
  /** Points of sale whose shifts the server may open need not send them. */
  readonly #sendsShifts: boolean;
  #shift: PlatformId = { id: "none", idType: "native" };

  constructor(world: World) {
    this.#world = world;
    this.#sendsShifts = world.rules.shiftOpening === "platform" || world.chance.happens(0.5);
  }

  /** A shift with so many documents in it. */
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
      // Sometimes the next one is rung up before this one has its answer.
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

  /** Once nothing goes wrong any more: every document is sent until it has its answer. */
  async finishEverything(): Promise<void> {
    for (const document of this.documents) await this.#finish(document);
    // What was refused because of the shift that was open then.
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

  /** The platform sends some of what the copy lacks at once, in whatever order, and the rest in its time. */
  async #repeatLost(lost: readonly Entry[]): Promise<void> {
    this.#forget(lost);
    if (lost.length === 0) return;
    const { chance } = this.#world;
    for (const document of this.documents.filter((one) => one.lost === true).sort(() => chance.next() - 0.5)) {
      if (chance.happens(0.5)) await this.#see(document);
    }
  }

  /** Entries that a restored copy lacks: their documents are sent again as they were registered, but cash, which a person compares. */
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

  /** Its cause may be gone by now, and others have been registered meanwhile. */
  async #repeatARefusedOne(): Promise<void> {
    const refused = this.documents.filter(({ last }) => last === "refused");
    if (refused.length > 0) await this.#see(this.#world.chance.pick(refused));
  }

  /** The same document under an id that the till made: it may never be registered beside the first. */
  async #sendTwin(document: PlatformDocument): Promise<void> {
    if (document.answeredVersion === undefined) return;
    const twin = { ...document.operation, document: { id: `${document.operation.document.id}-of-the-till`, idType: "sync" as const } };
    const submitted = await this.#submit(twin, document.answeredVersion);
    if (submitted?.kind === "done") throw new BrokenPromise(`${twin.document.id} was registered beside its twin`);
  }

  /** One request. True when its answer is final. */
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
        // The version that counts is the one that the server has; the platform's own truth comes back to it.
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

  /** The answer; undefined when there is no server, it dies, or the caller gives up. */
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
    // A failure is what the contract answers 500 for: to the platform it is no answer.
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
