import { codeOf, type Fields, fromHex, money, uint } from "../protocol/bytes.ts";
import type { Tag } from "../protocol/tlv.ts";
import { Counters } from "./counters.ts";
import { Drive } from "./drive.ts";
import { type Identity, sampleIdentity } from "./identity.ts";
import { date3, dt5, time3, wallClock } from "./moment.ts";
import { addTags, OpenReceipt } from "./receipt.ts";
import { Refused } from "./refused.ts";
import { Tables } from "./tables.ts";

export type Exchanged = { readonly command: string; readonly request: Buffer; readonly answer: Buffer };

const dayMs = 24 * 3_600_000;
const closed = { number: 0, openedAt: 0, receipts: 0 };

/** A desktop register in memory: modes, shift, receipt, drawer and drive of shtrih-protocol 5 to 8. */
export class IndependentRegister {
  readonly identity: Identity;
  readonly tables: Tables;
  readonly drive: Drive;
  readonly counters = new Counters();
  readonly exchanges: Exchanged[] = [];
  readonly printMs: number;
  shift = { ...closed, open: false };
  receipt: OpenReceipt | undefined;
  #begun: { readonly document: 0x02 | 0x08; readonly tags: Tag[] } | undefined;
  #reading: Buffer[] = [];
  #printsUntil = 0;

  constructor(options: Partial<Identity> & { readonly printMs?: number } = {}) {
    const { printMs = 0, ...identity } = options;
    this.identity = { ...sampleIdentity, ...identity };
    this.printMs = printMs;
    this.tables = new Tables(this.identity);
    this.drive = new Drive(this.identity, wallClock());
  }

  get printing(): boolean {
    return Date.now() < this.#printsUntil;
  }

  get mode(): number {
    if (this.#reading.length > 0) return 1;
    if (this.receipt !== undefined) return 8 | (this.receipt.type << 4);
    if (!this.shift.open) return 4;
    return Date.now() - this.shift.openedAt >= dayMs ? 3 : 2;
  }

  get openDocument(): number {
    return this.receipt === undefined ? (this.#begun?.document ?? 0) : 0x04;
  }

  /** The power went and came back: an open receipt is gone, and what was registered stays (shtrih-protocol 12.2). */
  restart(): void {
    this.receipt = undefined;
    this.#begun = undefined;
    this.#reading = [];
    this.#printsUntil = 0;
  }

  openReceipt(type: number, operator: number): void {
    this.ready();
    if (type > 3) throw new Refused(0x33, `type ${type}`);
    if (this.receipt !== undefined) throw new Refused(0x4a, "a receipt is open");
    if (!this.shift.open) throw new Refused(0x3d, "the shift is closed");
    if (this.mode === 3) throw new Refused(0x4e, "the shift is too old");
    if (this.mode !== 2) throw new Refused(0x73, `mode ${this.mode}`);
    this.receipt = new OpenReceipt(type, operator);
  }

  ownReceipt(operator: number): OpenReceipt {
    this.ready();
    if (this.receipt === undefined) throw new Refused(0x55, "no receipt");
    if (operator !== 30 && operator !== this.receipt.operator) throw new Refused(0x59, "another operator's receipt");
    return this.receipt;
  }

  /** FF46. The first one opens a receipt of its own type (shtrih-protocol 5.7). */
  position(fields: Fields, operator: number): void {
    this.ready();
    const types = [0, 2, 1, 3];
    const operation = fields.uint(1);
    if (this.receipt === undefined) this.openReceipt(types[operation - 1] ?? 4, operator);
    this.ownReceipt(operator).add(operation, fields, this.tables.number(17, 1, 71) === 1);
  }

  closeReceipt(fields: Fields, operator: number): Buffer {
    const receipt = this.ownReceipt(operator);
    const payment = receipt.settle(fields, this.identity.taxSystems);
    const outgoing = receipt.type === 1 || receipt.type === 2;
    if (outgoing && payment.cashKopecks > this.counters.drawerKopecks) throw new Refused(0x46, "not enough cash");
    this.shift.receipts += 1;
    const kept = this.drive.receipt(receipt, payment, wallClock(), this.shift.number, this.shift.receipts);
    this.counters.receipt(receipt, payment);
    this.counters.nextDocument();
    this.receipt = undefined;
    this.prints();
    const extended = this.tables.number(17, 1, 36) === 1 ? dt5(kept.moment) : Buffer.alloc(0);
    return Buffer.concat([money(payment.changeKopecks), uint(kept.number, 4), uint(kept.sign, 4), extended]);
  }

  cancelReceipt(operator: number): void {
    this.ownReceipt(operator);
    this.receipt = undefined;
    this.counters.cancelled();
    this.prints();
  }

  drawer(kopecks: number, direction: "in" | "out"): Buffer {
    this.ready();
    if (this.receipt !== undefined) throw new Refused(0x4a, "a receipt is open");
    if (!this.shift.open) throw new Refused(0x3d, "the shift is closed");
    if (direction === "out" && kopecks > this.counters.drawerKopecks) throw new Refused(0x46, "not enough cash");
    if (direction === "in") this.counters.cashIn(kopecks);
    else this.counters.cashOut(kopecks);
    this.prints();
    return uint(this.counters.nextDocument(), 2);
  }

  begin(document: 0x02 | 0x08): void {
    if (this.receipt !== undefined) throw new Refused(0x02, "a receipt is open");
    if (this.shift.open !== (document === 0x08)) throw new Refused(0x02, "the shift is in another state");
    this.#begun = { document, tags: [] };
  }

  abandonDocument(): void {
    if (this.#begun === undefined && this.receipt === undefined) throw new Refused(0x02, "no document");
    this.#begun = undefined;
    this.receipt = undefined;
  }

  tagDocument(bytes: Buffer): void {
    const tags = this.receipt?.tags ?? this.#begun?.tags;
    if (tags === undefined) throw new Refused(0x02, "no document");
    addTags(tags, bytes);
  }

  openShift(): void {
    this.ready();
    if (this.shift.open) throw new Refused(0x73, "the shift is open");
    this.shift = { number: this.shift.number + 1, openedAt: Date.now(), receipts: 0, open: true };
    this.drive.openShift(wallClock(), this.shift.number, this.#begun?.tags ?? []);
    this.#begun = undefined;
    this.prints();
  }

  closeShift(): void {
    this.ready();
    if (this.receipt !== undefined) throw new Refused(0x4a, "a receipt is open");
    if (!this.shift.open) throw new Refused(0x73, "the shift is closed");
    this.drive.closeShift(wallClock(), this.shift.number, this.shift.receipts, this.#begun?.tags ?? []);
    this.shift = { ...this.shift, open: false };
    this.counters.closeShift();
    this.#begun = undefined;
    this.prints();
  }

  /** FF3A */
  read(number: number): Buffer {
    if (this.printing) throw new Refused(0x73, "printing");
    const { type, parts } = this.drive.find(number);
    this.#reading = parts.flatMap((part) => (part.length <= 252 ? [part] : [part.subarray(0, 252), part.subarray(252)]));
    return Buffer.concat([uint(type, 2), uint(Buffer.concat([...parts]).length, 2)]);
  }

  /** FF3B */
  nextPart(): Buffer {
    if (this.printing) throw new Refused(0x73, "printing");
    const part = this.#reading.shift();
    if (part === undefined) throw new Refused(0x08, "no more");
    return part;
  }

  stopReading(): void {
    this.#reading = [];
  }

  shortStatus(operator: number): Buffer {
    const operations = this.receipt?.items.length ?? 0;
    const head = Buffer.concat([Buffer.of(operator), uint(0x0290, 2), Buffer.of(this.mode, this.printing ? 5 : 0, operations & 0xff)]);
    return Buffer.concat([head, fromHex("9F D8 00 00"), Buffer.of(operations >> 8), fromHex("00 04 00")]);
  }

  longStatus(operator: number): Buffer {
    const now = wallClock();
    return Buffer.concat([
      Buffer.of(operator),
      fromHex("43 31 4A 86 0D 01 11 01"),
      uint(this.counters.count(152), 2),
      uint(0x0290, 2),
      Buffer.of(this.mode, this.printing ? 5 : 0, 128),
      fromHex("4E 41 00 00 01 01 10"),
      date3(now),
      time3(now),
      Buffer.of(0),
      uint(Number(this.identity.factory) % 2 ** 32, 4),
      uint(this.shift.open ? this.shift.number - 1 : this.shift.number, 2),
      fromHex("8F 10 01 1D"),
      uint(Number(this.identity.inn), 6),
    ]);
  }

  driveStatus(): Buffer {
    const { moment, number } = this.drive.last;
    const head = Buffer.of(3, this.openDocument, 0, this.shift.open ? 1 : 0, 0);
    return Buffer.concat([head, dt5(moment), Buffer.from(this.identity.drive, "latin1"), uint(number, 4)]);
  }

  prints(): void {
    this.#printsUntil = Date.now() + this.printMs;
  }

  ready(): void {
    if (this.printing) throw new Refused(0x50, "still printing");
    if (this.#reading.length > 0) throw new Refused(0x73, "data output");
  }

  /** The exchanges of a command that was carried out without an error. */
  done(command: string): readonly Exchanged[] {
    return this.asked(command).filter(({ answer }) => answer[command.length > 2 ? 2 : 1] === 0);
  }

  asked(command: string): readonly Exchanged[] {
    return this.exchanges.filter((one) => codeOf(one.request) === command);
  }
}
