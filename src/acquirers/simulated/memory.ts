import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { OWNER_ONLY } from "../../kernel/private-file.ts";
import type { SimulatedPayment } from "./payment.ts";
import { eventSchema, type SimulatedEvent } from "./schema.ts";

const FILE = "simulated-payments.jsonl";
const LINE_END = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/**
 * The memory of the simulated acquirer: a file of JSON lines that only grows. Payments survive a killed server, as at a real bank. Several
 * processes, such as the server and a command, write to the file, each line by one append. New lines are read before each answer.
 */
export class SimulatedMemory {
  readonly #file: string;
  readonly #byBankId = new Map<string, SimulatedPayment>();
  readonly #bankIds = new Map<string, string>();
  #readBytes = 0;

  constructor(dataDir: string) {
    this.#file = join(dataDir, FILE);
  }

  byBankId(bankId: string): SimulatedPayment | undefined {
    this.#readNewLines();
    return this.#byBankId.get(bankId);
  }

  byPaymentId(paymentId: string): SimulatedPayment | undefined {
    this.#readNewLines();
    const bankId = this.#bankIds.get(paymentId);
    return bankId === undefined ? undefined : this.#byBankId.get(bankId);
  }

  /** Appends a line. A line break comes first, because the file may end with a truncated line. */
  append(event: SimulatedEvent): void {
    appendFileSync(this.#file, `\n${JSON.stringify(event)}\n`, { mode: OWNER_ONLY });
  }

  #readNewLines(): void {
    const bytes = this.#newBytes();
    const end = bytes.lastIndexOf(LINE_END) + 1;
    for (const line of bytes.subarray(0, end).toString("utf8").split("\n")) {
      const event = line === "" ? undefined : eventOf(line);
      if (event !== undefined) this.#take(event);
    }
    this.#readBytes += end;
  }

  /** The unread bytes. A missing file is an empty memory. */
  #newBytes(): Buffer {
    const handle = this.#open();
    if (handle === undefined) return Buffer.alloc(0);
    try {
      const chunks: Buffer[] = [];
      let at = this.#readBytes;
      const size = fstatSync(handle).size;
      while (at < size) {
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
        const length = readSync(handle, chunk, 0, chunk.length, at);
        if (length === 0) break;
        chunks.push(chunk.subarray(0, length));
        at += length;
      }
      return Buffer.concat(chunks);
    } finally {
      closeSync(handle);
    }
  }

  #open(): number | undefined {
    try {
      return openSync(this.#file, "r");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  #take(event: SimulatedEvent): void {
    if (event.kind === "created") {
      // When two processes created one payment, the first creation counts.
      if (this.#bankIds.has(event.paymentId)) return;
      this.#bankIds.set(event.paymentId, event.bankId);
      this.#byBankId.set(event.bankId, { created: event, refunds: [] });
      return;
    }
    const payment = this.#byBankId.get(event.bankId);
    if (payment === undefined) return;
    if (event.kind === "cancelled") {
      if (payment.cancelled === undefined) this.#byBankId.set(event.bankId, { ...payment, cancelled: event });
    } else if (!payment.refunds.some(({ number }) => number === event.number)) {
      this.#byBankId.set(event.bankId, { ...payment, refunds: [...payment.refunds, event] });
    }
  }
}

/** Returns undefined for a line that is no whole event, such as a line truncated by a power failure. */
function eventOf(line: string): SimulatedEvent | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
