import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { Journal, type JournalParts, type JournalStore } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { type Log, silentLog } from "../../src/kernel/log.ts";
import { present } from "../../src/kernel/present.ts";
import type { CashOperation, Operation, PlatformId, ShiftOperation, TradeOperation } from "../../src/model/operation.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import type { RegisterChoice } from "../../src/operations/plan.ts";
import { Recovery } from "../../src/operations/recover.ts";
import { REFUSAL_LIMITS, RefusalBound, type RefusalLimits } from "../../src/operations/refusal-bound.ts";
import type { OperationServices, Registers, StoreRules } from "../../src/operations/services.ts";
import type { DoneOperation, Submitted } from "../../src/operations/submission.ts";
import { Operations } from "../../src/operations/submit.ts";
import { RegisterQuestions } from "../../src/operator/register-questions.ts";
import { RegisterDesk } from "../../src/operator/registers/register-desk.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import type { Rack } from "../../src/registers/rack.ts";
import type { Register } from "../../src/registers/register.ts";
import { openStore, type Store, type StoreOptions } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { emptyTablesInMemory } from "./empty-tables.ts";
import { SCHEMES, sameChance, Trial, ZONE } from "./registers.ts";

export const SHIFT: PlatformId = { id: "shift-1", idType: "native" };

/** The choices of a test. By default the platform opens the shifts. */
interface TillOptions {
  rules?: Partial<StoreRules>;
  drives?: "test" | "live";
  /** The registers by address, as a server has them, instead of one register at every address. */
  rack?: Rack;
  /** A register instead of a new one from the catalogue. */
  trial?: Trial;
  log?: Log;
  /** How many refusals an account may leave in the journal. */
  refusals?: RefusalLimits;
  /** The files that must stay in place while documents are registered. */
  held?: HeldFiles;
  /** Keeps the commands that are exchanged with the register. */
  exchanges?: OperationServices["exchanges"];
  /** Called with entries that have become done. */
  done?: JournalParts["done"];
  /** Where the journal is. The default is in memory. */
  place?: StoreOptions;
  /** The open database of another till: this till is another process of its cluster. The other till closes it. */
  store?: Store;
  /** A wrapper between the server and the register, such as a cable that loses or delays answers. */
  line?: (register: Register) => Register;
  /** The platform's data about operations. By default there are none, so nothing is compared. */
  lookUp?: OperationServices["lookUp"];
  /** The registers that this process holds. The default is all. */
  holds?: OperationServices["held"];
  /** Why an account may not use a register. By default every account may use it. */
  unusable?: OperationServices["unusable"];
}

interface Party {
  appId: string;
  accountId: string;
}

export const RULES: StoreRules = {
  taxSystem: "osn",
  vatPayer: true,
  buyerContact: "email",
  timeZone: ZONE,
  paper: "80",
  shiftOpening: "platform",
};

/** Operations, a journal and one register, on a clock that the test moves. */
export class Till {
  readonly trial: Trial;
  readonly store: Store;
  readonly #options: TillOptions;
  #operations: Operations;
  #questions: RegisterQuestions;
  #recovery: Recovery;
  #lanes: Lanes;
  #desk: RegisterDesk;
  /** Resolves when the present process has read the newest entries, as a server does before its first operation. */
  #remembered: Promise<void> = Promise.resolve();
  #drives: "test" | "live";
  #life = 1;
  #passingCommits = 0;
  #failingCommits = 0;
  #stalled: { passing: number; until: Promise<void> } | undefined;
  /** What the metrics got about returns. */
  readonly returnedMore: string[] = [];
  /** The number of drawn receipts, and whether drawing fails. */
  drawn = 0;
  drawingFails = false;
  /** What the metrics got about refusals beyond the bound. */
  readonly beyondBound: string[] = [];

  private constructor(trial: Trial, store: Store, options: TillOptions) {
    this.trial = trial;
    this.store = store;
    this.#options = options;
    this.#drives = options.drives ?? "test";
    [this.#operations, this.#questions, this.#recovery, this.#lanes, this.#desk] = this.#start();
  }

  static async open(options: TillOptions = {}): Promise<Till> {
    const trial = options.trial ?? (await Trial.begin(SCHEMES[0] ?? ""));
    const till = new Till(trial, options.store ?? (await newStore(trial, options)), options);
    await till.#remembered;
    return till;
  }

  get journal(): Journal {
    return new Journal({ store: this.store, clock: this.trial.clock });
  }

  /** After `after` successful commits, the next `count` commits of the server fail without changing anything. */
  failCommits(count: number, after = 0): void {
    this.#passingCommits = after;
    this.#failingCommits = count;
  }

  /** Sets the drives that the installation may use from now on. */
  allow(drives: "test" | "live"): void {
    this.#drives = drives;
  }

  /** After `passing` further commits, commits hang until the returned function is called, as with a hanging disk or network. */
  stallCommits(passing = 0): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stalled = { passing, until: promise };
    return () => {
      this.#stalled = undefined;
      resolve();
    };
  }

  /** How the register of a point of sale is chosen. */
  get choice(): RegisterChoice {
    return {
      registers: { parse: parseAddress },
      defaultRegister: "emulator:{store}",
      rulesOf: async () => ({ ...RULES, ...this.#options.rules }),
      ...present({ unusable: this.#options.unusable }),
    };
  }

  get desk(): RegisterDesk {
    return this.#desk;
  }

  get questions(): RegisterQuestions {
    return this.#questions;
  }

  get operations(): Operations {
    return this.#operations;
  }

  /** Whether a commit hangs now. */
  get isStalled(): boolean {
    return (this.#stalled?.passing ?? 0) < 0;
  }

  get lanes(): Lanes {
    return this.#lanes;
  }

  /**
   * Does what kill -9 and a new start do. Nothing of the old process goes on, not even when its device still answers. The new process has
   * the same database and device. Waits until all unfinished operations are taken up. Without `recovers` nobody takes them up, as in the
   * process of a command.
   */
  async killAndRestart({ recovers = true } = {}): Promise<void> {
    this.#life += 1;
    // Work that hung in the old process never ends.
    this.#stalled = undefined;
    [this.#operations, this.#questions, this.#recovery, this.#lanes, this.#desk] = this.#start();
    await this.#remembered;
    if (recovers) this.#recovery.start();
    await this.settled();
  }

  /** Lets 20 seconds pass, second by second. Everything that is due in them is done. */
  async settled(): Promise<void> {
    for (let i = 0; i < 20; i += 1) await this.trial.later(1_000);
  }

  /** A journal with the same data as `journal`, whose reads fail or never end. */
  journalWithReads(reads: "failing" | "hanging"): Journal {
    const read = () => (reads === "failing" ? Promise.reject(new Error("the disk is gone")) : new Promise<never>(() => {}));
    return new Journal({ store: { commit: (work, what) => this.store.commit(work, what), read }, clock: this.trial.clock });
  }

  /** `party` says who asks when it is not the shop itself. */
  submit(operation: Operation, contentHash = `content of ${operation.document.id}`, party: Partial<Party> = {}): Promise<Submitted> {
    return this.#operations.submit({
      ...{ appId: "app", accountId: "account", ...party },
      operation,
      contentHash,
      twinHash: `${operation.storeId} ${operation.name} ${operation.moment}`,
      answer: answerOf,
    });
  }

  /** Submits an operation while time goes on, for operations that wait. */
  async submitAndWait(operation: Operation, contentHash?: string, party?: Partial<Party>): Promise<Submitted> {
    const submitted = this.submit(operation, contentHash, party);
    await this.settled();
    return submitted;
  }

  openShift(more: Partial<ShiftOperation> = {}): Promise<Submitted> {
    return this.submitAndWait(shiftOperation("open-shift", more));
  }

  /** The number of fiscal documents in the drive, including the registration. */
  async documents(): Promise<number> {
    return (await this.trial.state()).lastDocumentNumber;
  }

  async states(): Promise<string[]> {
    const entries = await this.journal.list({ limit: 100 });
    return entries.reverse().map(({ key, state }) => `${key.operation} ${state}`);
  }

  #start(): [Operations, RegisterQuestions, Recovery, Lanes, RegisterDesk] {
    const log = this.#options.log ?? silentLog;
    const lanes = new Lanes();
    const services: OperationServices = {
      stopping: lanes.stopping,
      refusals: new RefusalBound({
        clock: this.trial.clock,
        log,
        observe: (what) => this.beyondBound.push(what),
        limits: this.#options.refusals ?? REFUSAL_LIMITS,
      }),
      journal: new Journal({
        store: this.#unreliableStore(),
        clock: this.trial.clock,
        ...(this.#options.done === undefined ? {} : { done: this.#options.done }),
      }),
      clock: this.trial.clock,
      // Attempts must never share an id.
      chance: { ...sameChance, uuid: randomUUID },
      log,
      ...present({ exchanges: this.#options.exchanges, held: this.#options.holds }),
      ...this.choice,
      registers: this.#options.rack ?? this.#oneRegister(),
      drivesOf: () => this.#drives,
      draw: async () => this.#draw(),
      lookUp: this.#options.lookUp ?? (async () => ({ scale: "pinned" })),
      observe: () => {},
      returnedMore: (how) => void this.returnedMore.push(how),
    };
    this.#remembered = services.journal.rememberNewest();
    const desk = new RegisterDesk(
      { ...services, seen: () => this.#options.rack?.seen() ?? [], visit: (...question) => this.#visit(...question) },
      lanes,
    );
    return [new Operations(services, lanes), new RegisterQuestions(services, lanes), new Recovery(services, lanes), lanes, desk];
  }

  #oneRegister(): Registers {
    return { parse: parseAddress, at: () => this.#registerOf(this.#life), again: () => this.#registerOf(this.#life) };
  }

  #visit<T>(address: string, zone: string, ask: (register: Register) => Promise<T>): Promise<T> {
    return this.#options.rack?.visit(address, zone, ask) ?? ask(this.#registerOf(this.#life));
  }

  #unreliableStore(): JournalStore {
    return {
      read: (work) => this.store.read(work),
      commit: async (work, what) => {
        if (this.#stalled !== undefined) {
          this.#stalled.passing -= 1;
          if (this.#stalled.passing < 0) await this.#stalled.until;
        }
        this.#passingCommits -= 1;
        if (this.#passingCommits >= 0) return this.store.commit(work, what);
        this.#failingCommits -= 1;
        if (this.#failingCommits < 0) return this.store.commit(work, what);
        throw new Failure("database-failed", "dependency", "the disk is full", { retrySafe: true });
      },
    };
  }

  /** The register as one process sees it. After the death of the process no promise of the register settles. */
  #registerOf(life: number): Register {
    const alive = async <T>(call: Promise<T>): Promise<T> => {
      const value = await call;
      return life === this.#life ? value : new Promise<T>(() => {});
    };
    const register = this.#options.line?.(this.trial.register) ?? this.trial.register;
    return {
      identity: (deadline) => alive(register.identity(deadline)),
      inspect: (deadline) => alive(register.inspect(deadline)),
      perform: (document, deadline, attempt) => alive(register.perform(document, deadline, attempt)),
      lookUp: (number, deadline) => alive(register.lookUp(number, deadline)),
      abandon: (deadline) => alive(register.abandon(deadline)),
      close: () => register.close(),
      ...(register.recall === undefined
        ? {}
        : { recall: (id, deadline) => alive(register.recall?.(id, deadline) ?? Promise.reject(new Error("it has no record"))) }),
    };
  }

  async #draw(): Promise<Buffer> {
    if (this.drawingFails) throw new Error("no ink");
    this.drawn += 1;
    return Buffer.from(`receipt ${this.drawn}`);
  }
}

async function newStore(trial: Trial, { place, held = new HeldFiles() }: TillOptions): Promise<Store> {
  const inMemory = { kind: "sqlite", file: ":memory:", content: await emptyTablesInMemory() } as const;
  const store = await openStore(place ?? inMemory, { clock: trial.clock, held });
  await store.migrate();
  onTestFinished(async () => store.close());
  return store;
}

export function shiftOperation(kind: ShiftOperation["kind"], more: Partial<ShiftOperation> = {}): ShiftOperation {
  const shift = more.shift ?? SHIFT;
  return { kind, document: shift, shift, storeId: "store", name: "00001", moment: "2026-11-13 09:00:00", ...more };
}

export function saleOperation(id: string, more: Partial<TradeOperation> = {}): TradeOperation {
  return {
    kind: "sale",
    document: { id, idType: "native" },
    shift: SHIFT,
    storeId: "store",
    name: id,
    moment: "2026-11-13 10:00:00",
    positions: [
      {
        assortment: { name: "Хлеб" },
        quantityMillionths: 2_000_000,
        priceKopecks: 5_490,
        discountPercent: "0",
        vatPercent: "10",
        vatEnabled: true,
        marks: [],
      },
    ],
    payments: {
      cashKopecks: 10_980,
      cardKopecks: 0,
      qrKopecks: 0,
      prepaymentCashKopecks: 0,
      prepaymentCardKopecks: 0,
      prepaymentQrKopecks: 0,
      advanceKopecks: 0,
    },
    vatEnabled: true,
    vatIncluded: true,
    ...more,
  };
}

export function cashOperation(
  kind: CashOperation["kind"],
  id: string,
  sumKopecks: number,
  more: Partial<CashOperation> = {},
): CashOperation {
  const moment = "2026-11-13 10:00:00";
  return { kind, document: { id, idType: "native" }, shift: SHIFT, storeId: "store", name: id, moment, sumKopecks, ...more };
}

/** The shortest possible answer of a contract. */
function answerOf({ facts, receipt }: DoneOperation): Buffer {
  const number = facts.kind === "fiscal" ? facts.documentNumber : 0;
  return Buffer.from(`${facts.document} ${number} ${receipt?.toString() ?? "no receipt"}`);
}

/** The text of the answer, or the kind of another result. */
export function textOf(submitted: Submitted): string {
  if (submitted.kind === "done") return submitted.answer.toString();
  return submitted.kind === "refused" ? submitted.refusal.code : submitted.kind;
}
