import { Agent, request } from "undici";
import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import { readBankJson } from "./bank-json.ts";

/** Longest time for TCP and TLS to a bank (qr-acquirers 6). */
const CONNECT_MS = 1_500;
/**
 * The maximum number of connections of one merchant's account. A call takes about 0.3 s, so 16 connections allow about 50 calls a second.
 */
const MAX_CONNECTIONS = 16;
/** How long an idle connection stays open. A bank may shorten this by a header, or close the connection. */
const IDLE_MS = 20_000;
/** The largest answer, in bytes, unless the call sets `maxBytes`. A payment has about 2 KiB. */
const MAX_ANSWER_BYTES = 64 * 1024;

interface BankCall {
  method: "GET" | "POST";
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Longest time of this call. The caller's deadline counts too. */
  limitMs: number;
  maxBytes?: number;
}

export type BankAnswer =
  /** A whole JSON object. Numbers are texts (`readBankJson`). */
  | { kind: "answer"; status: number; members: Readonly<Record<string, unknown>> }
  /** Any other answer: a web page, half an object, too many bytes. The bank may have carried out the call. */
  | { kind: "unreadable"; status: number; problem: string }
  /** No answer; certainly nothing was sent. */
  | { kind: "never-left"; problem: string }
  /** No answer, or only a part of one; the call may have arrived. */
  | { kind: "lost"; problem: string };

/** Calls banks over HTTP. Never rejects, and never repeats a call by itself. */
export interface BankWire {
  ask(call: BankCall, deadline: Deadline): Promise<BankAnswer>;
  /** Ends the connections after the running calls, whose deadlines bound the wait. */
  close(): Promise<void>;
}

/** Opens the connections to the bank of one merchant account. The caller closes the wire. */
export function openBankWire(clock: Clock): BankWire {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connect: { timeout: CONNECT_MS },
    // The call's `limitMs` and the deadline bound the time, on the clock that was passed in.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async ask(call, deadline) {
      const limitMs = Math.min(call.limitMs, deadline.remainingMs());
      if (limitMs <= 0) return { kind: "never-left", problem: "no time was left" };
      const ending = new AbortController();
      const cancel = clock.after(limitMs, () => ending.abort(new Error(`no answer within ${Math.round(limitMs)} ms`)));
      try {
        return await exchange(agent, call, ending.signal);
      } catch (error) {
        return { kind: neverLeft(error) ? "never-left" : "lost", problem: reasonOf(error) };
      } finally {
        cancel();
      }
    },
    close: () => agent.close(),
  };
}

async function exchange(agent: Agent, call: BankCall, signal: AbortSignal): Promise<BankAnswer> {
  const { method, url, headers, maxBytes = MAX_ANSWER_BYTES } = call;
  const response = await request(url, { method, headers, signal, dispatcher: agent, ...present({ body: call.body }) });
  const status = response.statusCode;
  const bytes = await bounded(response.body, maxBytes);
  if (bytes === undefined) return { kind: "unreadable", status, problem: `HTTP ${status} with more than ${maxBytes} bytes` };
  const json = readBankJson(bytes);
  if (json.kind === "unreadable") return { kind: "unreadable", status, problem: `HTTP ${status}: ${json.problem}` };
  return { kind: "answer", status, members: json.members };
}

/** The bytes of a body. Undefined above `maxBytes`: the early return closes the connection. */
async function bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** System calls that are made before a connection exists. A failure that names one of them comes before anything is sent. */
const BEFORE_CONNECTION = ["connect", "getaddrinfo"];
/** Codes of failures before a request is written: of undici, and of a bad certificate. */
const BEFORE_SENDING = [
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_CLOSED",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
];

/** True when a failed call has certainly sent nothing. For a host with several addresses the error has one failure for each address. */
function neverLeft(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverLeft);
  return BEFORE_CONNECTION.includes(textOf(error, "syscall")) || BEFORE_SENDING.includes(textOf(error, "code"));
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return messageOf(error);
}

function textOf(error: unknown, name: "syscall" | "code"): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : "";
}
