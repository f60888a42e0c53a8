import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { refreshStepMs } from "../../src/payments/refresh-times.ts";

/** The usual time of a bank's answer. */
const ANSWER_MS = 300;
const SECOND_MS = 1_000;

interface Followed {
  terminal: string;
  orderId: string;
  amount: number;
  createdAtMs: number;
  readAtMs: number;
}

/**
 * T-Bank for measurements with many terminals. It knows Init, GetQr and GetState, checks no tokens, and notes how late each reading
 * comes and how often each terminal calls. Nobody ever pays.
 */
export class ManyTerminals {
  /** By how many milliseconds each reading came later than the step of its payment. */
  lateMs: number[] = [];
  /** The largest number of calls of one terminal within a second. */
  mostCallsASecond = 0;
  readonly #server: Server;
  readonly #payments = new Map<string, Followed>();
  readonly #calls = new Map<string, number[]>();

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (body) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
        () => response.destroy(),
      );
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v2`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  /** The number of payments that were not read for longer than their step and this margin. */
  forgotten(marginMs: number): number {
    const nowMs = systemClock.monotonicMs();
    return [...this.#payments.values()].filter((payment) => nowMs > dueMs(payment) + marginMs).length;
  }

  async #answer(request: IncomingMessage): Promise<object> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, string | number>;
    const terminal = String(body.TerminalKey);
    this.#count(terminal);
    const fine = { Success: true, ErrorCode: "0", TerminalKey: terminal };
    if (request.url?.endsWith("/Init")) {
      const id = String(4_417_000_000 + this.#payments.size);
      const nowMs = systemClock.monotonicMs();
      this.#payments.set(id, { terminal, orderId: String(body.OrderId), amount: Number(body.Amount), createdAtMs: nowMs, readAtMs: nowMs });
      return { ...fine, PaymentId: id, OrderId: body.OrderId, Amount: body.Amount, Status: "NEW" };
    }
    const id = String(body.PaymentId);
    const payment = this.#payments.get(id);
    if (payment === undefined) return { Success: false, ErrorCode: "7", Message: "no such payment" };
    if (request.url?.endsWith("/GetQr"))
      return { ...fine, PaymentId: id, OrderId: payment.orderId, Data: `https://qr.nspk.ru/X?sum=${payment.amount}&cur=RUB` };
    this.lateMs.push(Math.max(0, systemClock.monotonicMs() - dueMs(payment)));
    await pause(systemClock, ANSWER_MS);
    payment.readAtMs = systemClock.monotonicMs();
    return { ...fine, PaymentId: id, OrderId: payment.orderId, Amount: payment.amount, Status: "FORM_SHOWED" };
  }

  #count(terminal: string): void {
    const nowMs = systemClock.monotonicMs();
    const calls = [...(this.#calls.get(terminal) ?? []).filter((atMs) => nowMs - atMs < SECOND_MS), nowMs];
    this.#calls.set(terminal, calls);
    this.mostCallsASecond = Math.max(this.mostCallsASecond, calls.length);
  }
}

function dueMs({ createdAtMs, readAtMs }: Followed): number {
  return readAtMs + refreshStepMs(readAtMs - createdAtMs);
}
