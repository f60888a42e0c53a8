import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { nextTurn } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { type BankOptions, openBank } from "../../src/tools/bank/bank.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A Monday of 2026, in the middle of the day. */
export const START_MS = Date.UTC(2026, 8, 7, 12);

type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  body: Json;
}

export type BankName = BankOptions["name"];

/** A bank in this process, on a clock that stands still. */
export interface TestBank {
  base: string;
  control: string;
  acquirer: string;
  clock: VirtualClock;
  order(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  row(id: string): Promise<Json>;
  close(): Promise<void>;
}

export async function testBank(name: BankName, options: Partial<BankOptions> = {}): Promise<TestBank> {
  const clock = new VirtualClock(START_MS);
  const plain = { port: 0, seed: undefined, data: undefined, notifyUrl: undefined, payAfterMs: undefined, faults: [], clockAheadMs: 0 };
  const bank = await openBank({ name, ...plain, clock, log: silentLog, ...options });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await bank.close();
    isOpen = false;
  };
  onTestFinished(close);
  const order = (method: string, path: string, body?: unknown) => controlOrder(bank.control, method, path, body);
  const row = async (id: string) => {
    const { body } = await order("GET", "/payments");
    return (body as Json[]).find((each) => each.id === id) ?? {};
  };
  return { ...bank, clock, order, row, close };
}

export async function controlOrder(control: string, method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(`${control}${path}`, { method, ...sent });
  return { status: response.status, body: (await response.json()) as unknown };
}

/** The values of the ready line's `acquirer`. */
export function credentials(acquirer: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(acquirer.slice(acquirer.indexOf("?") + 1)));
}

export interface YookassaCall {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Calls YooKassa. Without `key` a POST gets a new idempotence key, and with null it has none. */
export function yookassaCaller({ base, acquirer }: { base: string; acquirer: string }) {
  const { shopId, secretKey } = credentials(acquirer);
  let keys = 0;
  return async (method: string, path: string, { key, body, headers }: YookassaCall = {}): Promise<Answer> => {
    keys += 1;
    const stated = key === undefined ? `key of call ${keys}` : key;
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString("base64")}`,
        ...(method === "POST" && stated !== null ? { "idempotence-key": stated } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
}

export function yookassaPayment(more: Json = {}): Json {
  return {
    amount: { value: "259.20", currency: "RUB" },
    capture: true,
    payment_method_data: { type: "sbp" },
    confirmation: { type: "qr" },
    ...more,
  };
}

/** The token of a request (qr-acquirers 4.2), made without the bank's code. */
export function testToken(fields: Json, password: string): string {
  const scalars = Object.entries({ ...fields, Password: password }).filter(
    ([name, value]) => name !== "Token" && typeof value !== "object",
  );
  const sorted = scalars.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => String(value));
  return createHash("sha256").update(sorted.join("")).digest("hex");
}

/** Whether a notification of T-Bank has the token that its top-level fields require. */
export function tokenHolds(notification: Record<string, unknown>, acquirer: string): boolean {
  return notification.Token === testToken(notification, credentials(acquirer).password ?? "");
}

export function tbankCaller({ base, acquirer }: { base: string; acquirer: string }) {
  const { terminalKey, password = "" } = credentials(acquirer);
  return async (name: string, fields: Json = {}): Promise<Answer> => {
    const all = { TerminalKey: terminalKey, ...fields };
    const body = JSON.stringify({ Token: testToken(all, password), ...all });
    const response = await fetch(`${base}/${name}`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return { status: response.status, body: (await response.json()) as Json };
  };
}

/** The calls that both banks offer, under the same names. */
export interface Merchant {
  /** Creates a payment of 259.20 roubles and asks for its code, once each. */
  create(number: string): Promise<{ id: string; code: string; amount: unknown; answers: Answer[] }>;
  read(id: string): Promise<{ answer: Answer; status: unknown; amount: unknown }>;
  refund(id: string, kopecks: number): Promise<Answer>;
  /** The terms of this bank. */
  words: { waiting: string; paid: string; refunded: string; amount: unknown; wrongAmount: unknown };
}

export function merchantOf(name: BankName, bank: { base: string; acquirer: string }, notifyUrl?: string): Merchant {
  return name === "yookassa" ? yookassaMerchant(bank) : tbankMerchant(bank, notifyUrl);
}

function yookassaMerchant(bank: { base: string; acquirer: string }): Merchant {
  const call = yookassaCaller(bank);
  return {
    words: { waiting: "pending", paid: "succeeded", refunded: "succeeded", amount: money("259.20"), wrongAmount: money("260.20") },
    async create(number) {
      const answer = await call("POST", "/payments", { key: number, body: yookassaPayment({ metadata: { orderId: number } }) });
      const { id, confirmation, amount } = answer.body;
      return { id: String(id), code: String((confirmation as Json | undefined)?.confirmation_data), amount, answers: [answer] };
    },
    async read(id) {
      const answer = await call("GET", `/payments/${id}`);
      return { answer, status: answer.body.status, amount: answer.body.amount };
    },
    refund: (id, kopecks) => call("POST", "/refunds", { body: { payment_id: id, amount: money((kopecks / 100).toFixed(2)) } }),
  };
}

function tbankMerchant(bank: { base: string; acquirer: string }, notifyUrl: string | undefined): Merchant {
  const call = tbankCaller(bank);
  return {
    words: { waiting: "FORM_SHOWED", paid: "CONFIRMED", refunded: "PARTIAL_REFUNDED", amount: 25_920, wrongAmount: 26_020 },
    async create(number) {
      const address = notifyUrl === undefined ? {} : { NotificationURL: notifyUrl };
      const made = await call("Init", { Amount: 25_920, OrderId: number, ...address });
      const shown = await call("GetQr", { PaymentId: made.body.PaymentId });
      return { id: String(made.body.PaymentId), code: String(shown.body.Data), amount: made.body.Amount, answers: [made, shown] };
    },
    async read(id) {
      const answer = await call("GetState", { PaymentId: id });
      return { answer, status: answer.body.Status, amount: answer.body.Amount };
    },
    refund: (id, kopecks) => call("Cancel", { PaymentId: id, Amount: kopecks }),
  };
}

function money(value: string): Json {
  return { value, currency: "RUB" };
}

/** The merchant's address for notifications. */
export interface NotificationAddress {
  url: string;
  received: Json[];
  /** The answer to notifications from now on. */
  answer: { status: number; text: string };
  /** Resolves with the notifications when that many have come. */
  until(count: number): Promise<readonly Json[]>;
}

export async function notificationAddress(): Promise<NotificationAddress> {
  const received: Json[] = [];
  const answer = { status: 200, text: "OK" };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Json);
      response.writeHead(answer.status).end(answer.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const until = async (count: number) => {
    while (received.length < count) await nextTurn();
    return received;
  };
  return { url, received, answer, until };
}
