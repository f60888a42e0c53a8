import { createHash, type Hash } from "node:crypto";
import { Agent, request } from "undici";
import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import { type CallKeys, PROOF_HEADER } from "./call-proof.ts";
import type { ProcessRow } from "./queries.ts";

/** The time limit for opening a connection. A process in the same network accepts the connection in milliseconds. */
const CONNECT_MS = 1_000;
/** The limit of connections to one process. Each connection carries one call at a time, which may wait for a register. */
const CONNECTIONS = 128;
/**
 * How long an idle connection is kept. The called process closes idle connections later than this, so it never closes a connection that a
 * call has just taken.
 */
const IDLE_MS = 30_000;
/** The largest answer: the receipt of the largest document takes a few megabytes in Base64. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** The header with the outcome, which determines the form of the body. */
export const OUTCOME_HEADER = "x-cluster-outcome";

export type CallResult =
  | { kind: "answer"; outcome: string; body: Buffer }
  /** No complete answer came, or the answer has no valid proof. The work may or may not have been done. */
  | { kind: "no-answer"; why: string };

interface CallServices {
  keys: CallKeys;
  clock: Clock;
  self: string;
}

/** Calls other processes of the cluster over persistent connections. */
export class Calls {
  readonly #services: CallServices;
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  #number = 0;

  constructor(services: CallServices) {
    this.#services = services;
  }

  /** Makes one call. Waits for the answer until the deadline or until the signal is aborted. Never rejects. */
  async post(
    process: Pick<ProcessRow, "id" | "url">,
    path: string,
    body: Buffer,
    { deadline, signal }: { deadline: Deadline; signal?: AbortSignal },
  ): Promise<CallResult> {
    const { keys, clock, self } = this.#services;
    this.#number += 1;
    const head = { method: "POST", path, to: process.id, from: self, number: this.#number };
    const late = new AbortController();
    const cancel = clock.after(deadline.remainingMs(), () => late.abort(new Error("no answer in time")));
    const ends = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    try {
      const response = await request(process.url + path, {
        dispatcher: this.#agent,
        method: "POST",
        headers: { "content-type": "application/json", [PROOF_HEADER]: keys.prove(head, body) },
        body,
        signal: ends,
      });
      const [pieces, hash]: [Buffer[], Hash] = [[], createHash("sha256")];
      for await (const piece of response.body as AsyncIterable<Buffer>) {
        pieces.push(piece);
        // Hashing the largest answer in one step would block the event loop for 50 ms.
        hash.update(piece);
      }
      const answer = { status: response.statusCode, outcome: one(response.headers[OUTCOME_HEADER]) ?? "", body: Buffer.concat(pieces) };
      if (!keys.isAnswerOf(head, { ...answer, body: hash }, one(response.headers[PROOF_HEADER]))) {
        return { kind: "no-answer", why: `status ${answer.status} without a proof` };
      }
      return { kind: "answer", outcome: answer.outcome, body: answer.body };
    } catch (error) {
      return { kind: "no-answer", why: messageOf(error) };
    } finally {
      cancel();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
