import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { answerBytes, answerJson, JSON_TYPE } from "../http/answer.ts";
import { LineBudget } from "../http/line-budget.ts";
import { readRaw } from "../http/raw-body.ts";
import { unprovedRequestOf } from "../http/unproved-request.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type CallHead, type CallKeys, PROOF_HEADER, receiverIn, UsedNumbers } from "./call-proof.ts";
import { OUTCOME_HEADER } from "./calls.ts";
import type { Membership } from "./membership.ts";

/** The largest body of a call. An operation as JSON is a few times as large as the platform's request. */
const MAX_CALL_BYTES = 8 * 1024 * 1024;

/** The answer to a call. The caller gets exactly these bytes. */
export interface CallAnswer {
  outcome: string;
  body: Buffer;
}

export type CallHandler = (body: Buffer) => Promise<CallAnswer>;

interface InboundServices {
  keys: CallKeys;
  membership: Pick<Membership, "id" | "reading" | "readAnew">;
  log: Log;
  clock: Clock;
  handlers: Readonly<Record<string, CallHandler>>;
}

/** Returns the handler of all requests at CLUSTER_URL. A request without a valid proof gets 401. */
export function inboundCalls({ keys, membership, log, clock, handlers }: InboundServices): RequestListener {
  const used = new UsedNumbers();
  // Anybody in the network may cause these lines.
  const lines = new LineBudget({ clock, log });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const header = request.headers[PROOF_HEADER];
    const proof = typeof header === "string" ? header : undefined;
    // Strangers do not know the id of this start. No part of their bodies is kept.
    const body = await readRaw(request, { maxBytes: receiverIn(proof) === membership.id ? MAX_CALL_BYTES : 0 });
    if (body.kind === "aborted") return;
    const path = request.url ?? "";
    const head = body.kind === "body" ? keys.proved(request.method ?? "", path, proof, body.bytes) : undefined;
    if (body.kind !== "body" || head === undefined || !(await isForHere(head))) {
      if (lines.take(NOT_PROVED)) log.warn({ path: path.slice(0, LOGGED_PATH_LENGTH) }, NOT_PROVED);
      answerJson(response, 401, { error: "unauthorized" });
      return;
    }
    unprovedRequestOf(response)?.prove();
    const handler = handlers[path];
    const answer = handler === undefined ? UNKNOWN : await handler(body.bytes);
    const status = handler === undefined ? 404 : 200;
    response.setHeader(OUTCOME_HEADER, answer.outcome);
    response.setHeader(PROOF_HEADER, keys.proveAnswer(head, status, answer.outcome, answer.body));
    answerBytes(response, status, JSON_TYPE, answer.body);
  }

  /** Whether the call is new, is for this start of this process, and comes from a process of the cluster. */
  async function isForHere({ to, from, number }: CallHead): Promise<boolean> {
    if (to !== membership.id) return false;
    if (!isThere(from)) await membership.readAnew();
    if (!isThere(from)) return false;
    used.keepOnly(new Set(membership.reading.processes.map(({ id }) => id)));
    return used.use(from, number);
  }

  function isThere(from: string): boolean {
    return membership.reading.processes.some(({ id }) => id === from);
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, "a call between processes failed");
      // This answer has no proof, so the caller counts it as no answer.
      answerJson(response, 500, { error: "failed" });
    });
  };
}

const LOGGED_PATH_LENGTH = 100;
const NOT_PROVED = "a call at CLUSTER_URL was not proved";
const UNKNOWN: CallAnswer = { outcome: "unknown-path", body: Buffer.from("{}") };
