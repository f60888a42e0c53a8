import { codeOf, Fields, fromHex, money, uint } from "../protocol/bytes.ts";
import { type Tag, tagsOf, textTag } from "../protocol/tlv.ts";
import {
  type RegisteredDocument,
  readClosedReceipt,
  readDeviceType,
  readDocument,
  readDriveStatus,
  readLongStatus,
  readOfdStatus,
  readShiftState,
  readShortStatus,
} from "./answers.ts";
import { ByteLine } from "./byte-line.ts";
import { Exchange, type Waits } from "./exchange.ts";
import {
  type Closing,
  cashierPassword,
  closeReceipt,
  command,
  openReceipt,
  type Position,
  position,
  type ReceiptKind,
  systemPassword,
} from "./requests.ts";

/** The device has answered a command with an error code (shtrih-protocol 4.2, 8). */
export class Refusal extends Error {
  readonly code: number;
  constructor(name: string, code: number) {
    super(`${name}: ${code.toString(16).toUpperCase().padStart(2, "0")}h`);
    this.code = code;
  }
}

export type Receipt = {
  readonly kind: ReceiptKind;
  readonly positions: readonly Position[];
  readonly closing: Closing;
  readonly tags?: readonly Buffer[];
};

const openMs = 20_000;
const pollMs = 50;
/** How long an answer may take where a test states nothing else. The device answers at once, but its program may have to wait. */
const usualMs = 30_000;
/** How long the device may print. A host may wait 60 s without progress (shtrih-protocol 7.2), but the emulator prints much faster. */
const idleMs = 40_000;

/** A driver of protocol 1.0 over TCP, made from shtrih-protocol alone, to test devices that somebody else has made. */
export class Till {
  readonly #host: string;
  readonly #port: number;
  readonly #waits: Waits;
  #line: ByteLine;
  #exchange: Exchange;

  private constructor(host: string, port: number, waits: Waits, line: ByteLine) {
    this.#host = host;
    this.#port = port;
    this.#waits = waits;
    this.#line = line;
    this.#exchange = new Exchange(line, waits);
  }

  static async connect(
    address: { readonly host: string; readonly port: number },
    waits: Waits = { acknowledgementMs: 5_000, byteMs: 5_000 },
  ): Promise<Till> {
    const line = await ByteLine.open(address.host, address.port, openMs);
    return new Till(address.host, address.port, waits, line);
  }

  async reconnect(): Promise<void> {
    this.close();
    this.#line = await ByteLine.open(this.#host, this.#port, openMs);
    this.#exchange = new Exchange(this.#line, this.#waits);
  }

  close(): void {
    this.#line.close();
  }

  /** Waits until the device is idle. Returns the answers of older commands that the device still held. */
  async settleLine(): Promise<readonly Buffer[]> {
    await this.#exchange.enquire(3_000);
    return this.#exchange.stale.splice(0);
  }

  /** Returns the whole answer, whatever its error byte is. */
  exchange(data: Uint8Array, answerMs = usualMs): Promise<Buffer> {
    return this.#exchange.ask(data, answerMs);
  }

  /** The fields after the error byte of an answer without error. */
  async ask(data: Uint8Array, answerMs = usualMs): Promise<Fields> {
    const answer = await this.exchange(data, answerMs);
    const at = answer[0] === 0xff && answer.length > 2 ? 2 : 1;
    const error = answer[at] ?? 0;
    if (error !== 0) throw new Refusal(codeOf(data), error);
    return new Fields(answer, at + 1);
  }

  deviceType = async () => readDeviceType(await this.ask(fromHex("FC")));
  shortStatus = async () => readShortStatus(await this.ask(command("10", systemPassword)));
  longStatus = async () => readLongStatus(await this.ask(command("11", systemPassword)));
  driveStatus = async () => readDriveStatus(await this.ask(command("FF01", systemPassword)));
  shiftState = async () => readShiftState(await this.ask(command("FF40", systemPassword)));
  ofdStatus = async () => readOfdStatus(await this.ask(command("FF39", systemPassword)));
  findDocument = async (number: number) => readDocument(await this.ask(command("FF0A", systemPassword, uint(number, 4))));

  async moneyRegister(number: number): Promise<number> {
    const fields = await this.ask(command("1A", systemPassword, uint(number, 1)));
    fields.take(1);
    return fields.uint(6);
  }

  async counter(number: number): Promise<number> {
    const fields = await this.ask(command("1B", systemPassword, uint(number, 1)));
    fields.take(1);
    return fields.uint(2);
  }

  async table(number: number, row: number, field: number): Promise<Buffer> {
    return (await this.ask(command("1F", systemPassword, uint(number, 1), uint(row, 2), uint(field, 1)))).take();
  }

  /** Reads a document by FF3A, then FF3B until nothing is left (shtrih-protocol 5.8). */
  async documentTags(
    number: number,
  ): Promise<{ readonly type: number; readonly length: number; readonly bytes: Buffer; readonly tags: readonly Tag[] }> {
    const head = await this.ask(command("FF3A", systemPassword, uint(number, 4)));
    const [type, length] = [head.uint(2), head.uint(2)];
    const parts: Buffer[] = [];
    for (;;) {
      const part = await this.#nextTags();
      if (part.length === 0) break;
      parts.push(part);
    }
    const bytes = Buffer.concat(parts);
    return { type, length, bytes, tags: tagsOf(bytes) };
  }

  async #nextTags(): Promise<Buffer> {
    try {
      return (await this.ask(command("FF3B", systemPassword))).take();
    } catch (error) {
      if (error instanceof Refusal && error.code === 0x08) return Buffer.alloc(0);
      throw error;
    }
  }

  async openShift(cashier: string): Promise<RegisteredDocument> {
    await this.ask(command("FF41", systemPassword));
    await this.ask(command("FF0C", systemPassword, textTag(1021, cashier)));
    await this.ask(command("E0", systemPassword), 120_000);
    return this.#lastDocument();
  }

  async closeShift(cashier: string): Promise<RegisteredDocument> {
    await this.ask(command("FF42", systemPassword));
    await this.ask(command("FF0C", systemPassword, textTag(1021, cashier)));
    await this.ask(command("41", systemPassword), 90_000);
    return this.#lastDocument();
  }

  /** Sends 8Dh, tags and positions: everything of a receipt that can still be cancelled. */
  async prepare({ kind, positions, tags = [] }: Receipt): Promise<void> {
    await this.ask(openReceipt(kind), 30_000);
    for (const tag of tags) await this.ask(command("FF0C", cashierPassword, tag), 35_000);
    for (const item of positions) await this.ask(position(kind, item), 35_000);
  }

  async finish(closing: Closing, answerMs = 60_000) {
    const closed = readClosedReceipt(await this.ask(closeReceipt(closing), answerMs));
    await this.untilIdle();
    return closed;
  }

  async register(receipt: Receipt) {
    await this.prepare(receipt);
    return this.finish(receipt.closing);
  }

  cancel = async () => {
    await this.ask(command("88", cashierPassword), 30_000);
    await this.untilIdle();
  };

  cashIn = (kopecks: number) => this.#drawer("50", kopecks);
  cashOut = (kopecks: number) => this.#drawer("51", kopecks);

  async xReport(): Promise<void> {
    await this.ask(command("40", systemPassword), 60_000);
    await this.untilIdle();
  }

  /**
   * Waits for submode 0, and lets the device print on in submode 3 (shtrih-protocol 7.2). Throws in submode 1 or 2, in which the device
   * lacks paper.
   */
  async untilIdle(): Promise<void> {
    const until = performance.now() + idleMs;
    for (;;) {
      const { submode } = await this.shortStatus();
      if (submode === 0) return;
      if (submode === 3) await this.ask(command("B0", cashierPassword));
      if (submode === 1 || submode === 2) throw new Error("the device wants paper");
      if (performance.now() > until) throw new Error(`the device still prints after ${idleMs} ms`);
      await this.#exchange.quiet(pollMs);
    }
  }

  async #drawer(code: string, kopecks: number): Promise<number> {
    const fields = await this.ask(command(code, cashierPassword, money(kopecks)), 30_000);
    fields.take(1);
    const document = fields.uint(2);
    await this.untilIdle();
    return document;
  }

  async #lastDocument(): Promise<RegisteredDocument> {
    await this.untilIdle();
    return this.findDocument((await this.driveStatus()).lastDocument);
  }
}
