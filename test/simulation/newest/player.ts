import { sql } from "kysely";
import { Failure } from "../../../src/kernel/failure.ts";
import { wallTimeAt } from "../../../src/kernel/moment.ts";
import type { CashOperation, Operation, PlatformId, ShiftOperation } from "../../../src/model/operation.ts";
import { REFUSAL_CODES } from "../../../src/model/refusal.ts";
import { decodeRecord } from "../../../src/registers/virtual/records.ts";
import { type ForgetfulDrive, forgetfulShtrihTrial, forgetfulTrial } from "../../support/forgetful-drive.ts";
import { ZONE } from "../../support/registers.ts";
import { type Copy, copyOf, restore } from "../../support/restored.ts";
import { cashOperation, RULES, saleOperation, shiftOperation, Till, textOf } from "../../support/till.ts";
import { SeededChance } from "../seeded-chance.ts";

export const PLAYED_DRIVERS = { emulator: forgetfulTrial, "shtrih-m": forgetfulShtrihTrial } as const;
export type PlayedDriver = keyof typeof PLAYED_DRIVERS;

interface Told {
  operation: Operation;
  account: string;
  answers: string[];
}

const OPENING = ["open-shift"] as const;
const KINDS = [
  ...(["open-shift", "close-shift", "sale", "sale", "sale", "sale", "sale", "sales-return", "sales-return"] as const),
  ...(["cash-in", "cash-out", "state-report"] as const),
];
const HOUR_MS = 3_600_000;
const MOST_FORGOTTEN = 5;
/** The largest number of requests that are sent while an earlier copy of the drive is in the device. */
const MOST_IN_VAIN = 4;
/** The only answers other than success that may be given. */
const WORDS = new Set<string>([...REFUSAL_CODES, "in-doubt", "conflict", "busy"]);

/**
 * A shop whose operations are refused and repeated all the time, with a drive that forgets, a database that is restored, and rows that
 * are lost. Every step is chosen by a seed, and is followed by a look at the drive.
 */
export class NewestPlayer {
  readonly #till: Till;
  readonly #drive: ForgetfulDrive;
  readonly #chance: SeededChance;
  readonly #accounts: readonly string[];
  readonly #told = new Map<string, Told>();
  /** Every document that any drive of this number ever had: all documents by number, and the receipts by the server's id. */
  readonly #made = new Map<number, string>();
  readonly #receipts = new Map<string, number>();
  /** The operation of each document number in an answer for a receipt. */
  readonly #answered = new Map<number, string>();
  readonly #shifts = new Map<string, PlatformId>();
  #kept: Copy | undefined;
  #count = 0;
  #maybeLost = false;
  /** Whether nothing of the database is ever lost. Then every answer is for one document, and every document for one answer. */
  readonly #isCalm: boolean;
  readonly faults: string[] = [];
  readonly history: string[] = [];

  private constructor(till: Till, drive: ForgetfulDrive, chance: SeededChance) {
    this.#till = till;
    this.#drive = drive;
    this.#chance = chance;
    this.#isCalm = chance.happens(0.4);
    this.#accounts = chance.happens(0.3) ? ["one", "two"] : ["one"];
  }

  static async begin(seed: number, driver: PlayedDriver): Promise<NewestPlayer> {
    const chance = new SeededChance(seed);
    const { trial, drive } = await PLAYED_DRIVERS[driver]();
    const shiftOpening = chance.happens(0.4) ? "automatic" : "platform";
    const till = await Till.open({ trial, rules: { ...RULES, shiftOpening, register: "emulator:shared" } });
    return new NewestPlayer(till, drive, chance);
  }

  async step(): Promise<void> {
    const roll = this.#chance.next();
    if (roll < 0.3) await this.#tell(this.#newOperation());
    else if (roll < 0.62) await this.#tell(this.#earlier() ?? this.#newOperation());
    else if (roll < 0.68) await this.#both();
    else if (roll < 0.74) await this.#withoutPaper();
    else if (roll < 0.78) await this.#till.trial.later(this.#chance.pick([HOUR_MS, 25 * HOUR_MS]));
    else if (roll < 0.82) await this.#restart();
    else if (roll < 0.88) await this.#forget();
    else if (roll < 0.92) await this.#keepCopy();
    else if (this.#isCalm) await this.#tell(this.#newOperation());
    else if (roll < 0.96) await this.#restoreCopy();
    else await this.#loseRow();
    this.#look();
  }

  #note(text: string): void {
    this.history.push(text);
  }

  #fault(text: string): void {
    this.faults.push(`step ${this.history.length}: ${text}`);
  }

  get #moment(): string {
    return wallTimeAt(this.#till.trial.clock.nowMs(), ZONE);
  }

  #newOperation(): { operation: Operation; account: string } {
    this.#count += 1;
    const account = this.#chance.pick(this.#accounts);
    const kind = this.#chance.pick(this.#isClosed && this.#chance.happens(0.3) ? OPENING : KINDS);
    const id = `${account}-${this.#count}`;
    const next = { id: `shift-${id}`, idType: "native" } as const;
    const shift = this.#shifts.get(account) ?? next;
    // Sometimes a till opens a shift although it has one.
    const opens = kind === "open-shift" && (this.#isClosed || this.#chance.happens(0.3));
    // A shift whose opening is refused has sales too.
    if (opens || !this.#shifts.has(account)) this.#shifts.set(account, opens ? next : shift);
    return { account, operation: this.#operationOf(kind, id, opens ? next : shift) };
  }

  #operationOf(kind: Operation["kind"], id: string, shift: PlatformId): Operation {
    const moment = this.#moment;
    if (kind === "open-shift" || kind === "close-shift")
      return shiftOperation(kind as ShiftOperation["kind"], { shift, document: shift, name: shift.id, moment });
    if (kind === "cash-in" || kind === "cash-out")
      return cashOperation(kind as CashOperation["kind"], id, 100 * (1 + this.#chance.below(200)), { shift, moment });
    if (kind === "state-report") {
      const document = { id: `state-${id}`, idType: "native" } as const;
      return { kind, document, shift: document, storeId: "store", name: id, moment };
    }
    const operation = saleOperation(id, { shift, moment });
    const { payments } = operation;
    const byCard = this.#chance.happens(0.5) ? { ...payments, cashKopecks: 0, cardKopecks: payments.cashKopecks } : payments;
    return { ...operation, kind: kind === "sale" ? "sale" : "sales-return", payments: byCard };
  }

  /** Whether the drive's shift is closed, by the newest report in the drive. */
  get #isClosed(): boolean {
    const reports = this.#drive.records.map((bytes) => decodeRecord(bytes)).filter((record) => record.kind === "fiscal");
    return reports.findLast(({ facts }) => facts.document !== "receipt")?.facts.document !== "open-shift";
  }

  /** An earlier request, preferably one that was refused. */
  #earlier(): Told | undefined {
    const all = [...this.#told.values()];
    const refused = all.filter(({ answers }) => !isDone(answers.at(-1) ?? ""));
    if (refused.length > 0 && this.#chance.happens(0.75)) return this.#chance.pick(refused.slice(-6));
    return all.length === 0 ? undefined : this.#chance.pick(all);
  }

  async #tell({ operation, account }: { operation: Operation; account: string }): Promise<string> {
    const key = `${account} ${operation.kind} ${operation.document.id}`;
    const told = this.#told.get(key) ?? { operation, account, answers: [] };
    this.#told.set(key, told);
    const answer = await this.#ask(told, account);
    this.#note(`${key} -> ${answer}`);
    this.#judge(key, told, answer);
    told.answers.push(answer);
    return answer;
  }

  async #ask({ operation }: Told, account: string): Promise<string> {
    try {
      const submitted = this.#till.submit(operation, `content of ${operation.kind} ${operation.document.id}`, { accountId: account });
      return textOf(await this.#till.trial.settled(submitted));
    } catch (error) {
      return error instanceof Failure ? `failure ${error.code}` : `thrown ${String(error)}`;
    }
  }

  #judge(key: string, told: Told, answer: string): void {
    if (!isDone(answer)) {
      if (!WORDS.has(answer)) this.#fault(`${key} was answered ${answer}`);
      return;
    }
    const [document = "", number = ""] = answer.split(" ");
    if (document !== "receipt") return;
    for (const before of told.answers)
      if (isDone(before) && before.split(" ")[1] !== number) this.#fault(`${key} was answered ${before} and then ${answer}`);
    const owner = this.#answered.get(Number(number));
    if (owner !== undefined && owner !== key) this.#fault(`${number} was answered for ${owner} and for ${key}`);
    this.#answered.set(Number(number), key);
  }

  async #both(): Promise<void> {
    const first = this.#newOperation();
    const second = this.#earlier() ?? this.#newOperation();
    await Promise.all([this.#tell(first), this.#tell(second)]);
  }

  async #withoutPaper(): Promise<void> {
    this.#till.trial.inject({
      before: (command) => (command === "state" || command === "stored" ? { kind: "go-on" } : { kind: "paper-out" }),
    });
    await this.#tell(this.#earlier() ?? this.#newOperation());
    this.#till.trial.inject({ before: () => ({ kind: "go-on" }) });
    this.#till.trial.device.setPaper(true);
  }

  async #restart(): Promise<void> {
    this.#note("restart");
    await this.#till.killAndRestart();
  }

  /** Puts an earlier copy of the drive in for a while. Requests that would be sent to it must be refused. */
  async #forget(): Promise<void> {
    if (this.#maybeLost) await this.#readDrive();
    this.#look();
    const whole = [...this.#drive.records];
    const forgotten = 1 + this.#chance.below(MOST_FORGOTTEN);
    const documents = fiscalIn(whole);
    if (documents <= forgotten) return;
    this.#drive.forget(forgotten);
    this.#note(`the drive forgets ${forgotten} of ${documents}`);
    await this.#till.trial.restart();
    if (this.#chance.happens(0.5)) await this.#restart();
    const left = this.#drive.records.length;
    for (let nth = this.#chance.below(MOST_IN_VAIN) + 1; nth > 0; nth -= 1) {
      const asked = this.#chance.happens(0.5) ? this.#newOperation() : (this.#earlier() ?? this.#newOperation());
      const before =
        this.#told.get(`${asked.account} ${asked.operation.kind} ${asked.operation.document.id}`)?.answers.some(isDone) === true;
      const answer = await this.#tell(asked);
      if (answer !== "register-went-back" && !(before && isDone(answer)) && !KNOWN_WITHOUT_DRIVE.has(answer))
        this.#fault(`a drive that forgot ${forgotten} was answered with ${answer}`);
    }
    if (fiscalIn(this.#drive.records) !== documents - forgotten || this.#drive.records.length < left)
      this.#fault("a drive that had forgotten documents was given more");
    this.#drive.remember(whole);
    await this.#till.trial.restart();
    this.#note("the drive is right again");
  }

  /** An operation of an unknown shift makes the server read the drive, and registers nothing. */
  async #readDrive(): Promise<void> {
    const shift = { id: "shift-of-nobody", idType: "native" } as const;
    this.#count += 1;
    const operation = cashOperation("cash-out", `strange-${this.#count}`, 10_000_000, { shift, moment: this.#moment });
    await this.#tell({ operation, account: this.#accounts[0] ?? "" });
    this.#maybeLost = false;
  }

  async #keepCopy(): Promise<void> {
    this.#note("a copy is kept");
    this.#kept = await copyOf(this.#till.store);
  }

  async #restoreCopy(): Promise<void> {
    if (this.#kept === undefined) return;
    this.#note("the copy is restored");
    await restore(this.#till.store, this.#kept);
    await this.#till.killAndRestart();
    this.#maybeLost = true;
    await this.#readDrive();
  }

  /** While the server is stopped, somebody deletes the rows of a receipt. */
  async #loseRow(): Promise<void> {
    const rows = await sql<{ id: number }>`select id from entries where operation in ('sale', 'sales-return')`.execute(this.#till.store.db);
    if (rows.rows.length === 0) return;
    const { id } = this.#chance.pick(rows.rows);
    this.#note(`entry ${id} is deleted`);
    for (const table of ["answers", "day_answers", "moves"]) {
      const there = await sql`select 1 from sqlite_master where name = ${table}`.execute(this.#till.store.db);
      if (there.rows.length > 0) await sql`delete from ${sql.table(table)} where entry_id = ${id}`.execute(this.#till.store.db);
    }
    await sql`delete from entries where id = ${id}`.execute(this.#till.store.db);
    await this.#till.killAndRestart();
    this.#maybeLost = true;
    await this.#readDrive();
  }

  /** Among all documents that the drive ever had, no number and no receipt may occur twice. */
  #look(): void {
    for (const bytes of this.#drive.records) {
      const record = decodeRecord(bytes);
      if (record.kind !== "fiscal" && record.kind !== "state-report") continue;
      const { documentNumber } = record.facts;
      const content = bytes.toString("base64");
      const before = this.#made.get(documentNumber);
      if (before !== undefined && before !== content) this.#fault(`number ${documentNumber} was issued twice`);
      this.#made.set(documentNumber, content);
      if (record.kind !== "fiscal" || record.facts.document !== "receipt") continue;
      const number = this.#receipts.get(record.reference);
      if (number !== undefined && number !== documentNumber)
        this.#fault(`${record.reference} stands under ${number} and ${documentNumber}`);
      this.#receipts.set(record.reference, documentNumber);
    }
  }

  /**
   * What must hold after the last step: every receipt that was answered stands in the drive, under the answered number, and no number is
   * missing.
   */
  end(): void {
    for (const [key, { answers }] of this.#told) {
      const done = answers.findLast(isDone);
      if (done?.startsWith("receipt ") && !this.#made.has(Number(done.split(" ")[1])))
        this.#fault(`${key} was answered ${done}, and is nowhere`);
    }
    if (this.#isCalm) this.#compare();
    const numbers = [...this.#made.keys()].sort((a, b) => a - b);
    const missing = numbers.findIndex((number, at) => number !== at + 2);
    if (missing !== -1) this.#fault(`number ${missing + 2} is missing`);
  }

  /** Compares the answers and the drive, one by one. */
  #compare(): void {
    const records = this.#drive.records.map((bytes) => decodeRecord(bytes));
    const done = [...this.#told.values()].filter(({ answers }) => answers.some(isDone));
    const of = (...kinds: Operation["kind"][]) => done.filter(({ operation }) => kinds.includes(operation.kind));
    const receipts = records.filter((record) => record.kind === "fiscal" && record.facts.document === "receipt").length;
    if (receipts !== of("sale", "sales-return").length)
      this.#fault(`${receipts} receipts, and ${of("sale", "sales-return").length} were answered`);
    const slips = records.filter(({ kind }) => kind === "cash").length;
    if (slips !== of("cash-in", "cash-out").length) this.#fault(`${slips} slips, and ${of("cash-in", "cash-out").length} were answered`);
    for (const kind of ["open-shift", "close-shift", "state-report"] as const) {
      const numbers = of(kind).map(({ answers }) => answers.findLast(isDone)?.split(" ")[1]);
      if (new Set(numbers).size !== numbers.length) this.#fault(`a ${kind} was answered for two shifts: ${numbers}`);
    }
  }
}

/** Answers that may be given before the drive is asked. */
const KNOWN_WITHOUT_DRIVE = new Set(["other-id-type", "refused-too-often", "no-paper"]);

function fiscalIn(records: readonly Buffer[]): number {
  return records.filter((record) => ["fiscal", "state-report"].includes(decodeRecord(record).kind)).length;
}

function isDone(answer: string): boolean {
  return /^(receipt|open-shift|close-shift|cash-in|cash-out|correction|state-report) \d/.test(answer);
}
