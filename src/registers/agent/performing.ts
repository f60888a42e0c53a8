import { createHash } from "node:crypto";
import { type Clock, pause } from "../../kernel/clock.ts";
import { type Deadline, deadlineIn, earlier, waitUntil } from "../../kernel/deadline.ts";
import { isTrade, type RegisterDocument } from "../../model/document.ts";
import { NOT_PERMITTED } from "../not-permitted.ts";
import type { Attempt, Outcome } from "../register.ts";
import type { PendingCall, Tunnel, TunnelConnection } from "../tunnel.ts";
import type { AgentPlace } from "./place.ts";
import { type Asked, read, wordsOf } from "./question.ts";
import { recallFrom } from "./recalling.ts";
import { type NEEDS, STEP_LIMIT_MS } from "./wire/protocol.ts";
import { agentOutcomeSchema } from "./wire/register-schema.ts";

/** For the cashier: the connection ended before `go` reached the agent, so nothing was registered. */
const BROKEN_BEFORE = "связь с агентом в магазине прервалась до печати";
/** How long the server waits for the agent's cancellation. The agent first waits `STEP_LIMIT_MS` for `go`. */
const CANCEL_LIMIT_MS = STEP_LIMIT_MS + 2_000;
/** The pause before the next question about the outcome, after the answer `running` and after a question without a usable answer. */
const RUNNING_AGAIN_MS = 500;
/** How long the server waits for the answer to one such question. */
const RECALL_LIMIT_MS = 5_000;

interface Way {
  clock: Clock;
  tunnel: Tunnel;
  place: AgentPlace;
}

interface Sending {
  document: RegisterDocument;
  attempt: Attempt;
}

/**
 * Makes a document through an agent. Before `go` a problem of this call is a refusal, because the agent registers only after `go`. An agent
 * that already knows the attempt may answer with an earlier outcome. After `go` the agent's answer is the outcome. The failure `no-go` is a
 * refusal, because it proves that nothing was made. After any other failure, and without an answer, `recall` asks for the outcome.
 */
export async function performThroughAgent(way: Way, connection: TunnelConnection, sending: Sending, deadline: Deadline): Promise<Outcome> {
  const { document, attempt } = sending;
  const call = connection.call(
    { do: "perform", register: way.place.register, attempt: attempt.id, hash: hashOf(document), needs: needsOf(document), document },
    deadline,
  );
  const step = earlier(deadline, deadlineIn(way.clock, STEP_LIMIT_MS));
  const accepted = await waitUntil(way.clock, step, call.accepted);
  if (accepted.kind === "late") return refusedWith("агент в магазине не принял документ вовремя");
  if (!accepted.value) return notAccepted(connection, call, step, way.clock);
  if (!(await attempt.mayRegister())) return notPermitted(way.clock, call);
  if (!call.go()) return refusedWith(BROKEN_BEFORE);
  const asked = read(connection, await call.answered, agentOutcomeSchema);
  if (asked.kind === "answer") return asked.value;
  // With `no-go` the agent has stored the attempt as void, so nothing was registered.
  if (asked.kind === "failed" && asked.code === "no-go") return refusedWith(wordsOf(asked));
  return recalled(way, connection, attempt, deadline);
}

/** Waits, at most `CANCEL_LIMIT_MS`, until the agent has cancelled the document, because the register is busy until then. */
async function notPermitted(clock: Clock, { answered }: PendingCall): Promise<Outcome> {
  await waitUntil(clock, deadlineIn(clock, CANCEL_LIMIT_MS), answered);
  return refusedWith(NOT_PERMITTED);
}

/**
 * Handles a call without `accepted`: it was answered, its connection was lost, or its time is over. `go` was not sent, so this call has
 * registered nothing. The answer may be the outcome of an earlier call for the same attempt.
 */
async function notAccepted(connection: TunnelConnection, call: PendingCall, step: Deadline, clock: Clock): Promise<Outcome> {
  const answered = await waitUntil(clock, step, call.answered);
  if (answered.kind === "late") return refusedWith("агент в магазине не принял документ вовремя");
  const asked = read(connection, answered.value, agentOutcomeSchema);
  return asked.kind === "lost" ? refusedWith(asked.reason) : outcomeOf(asked);
}

function outcomeOf(asked: Exclude<Asked<Outcome>, { kind: "lost" }>): Outcome {
  if (asked.kind === "answer") return asked.value;
  if (asked.code !== "agent-too-old") return refusedWith(wordsOf(asked));
  return { kind: "refused", refusal: { code: "device-refused", device: { code: asked.code, words: wordsOf(asked) } } };
}

/** Asks for the outcome of an attempt, on the same or a newer connection of the agent. */
async function recalled({ clock, tunnel, place }: Way, sentOn: TunnelConnection, { id }: Attempt, deadline: Deadline): Promise<Outcome> {
  const attempt = { id, record: sentOn.folder };
  // The answer may be missing although the connection `sentOn` is still alive. `again` returns a connection with an epoch above `after`, so
  // `sentOn` is allowed too.
  let after = sentOn.epoch - 1;
  for (;;) {
    const reach = await tunnel.again(place.agent, after, deadline);
    if (reach.kind === "away") return { kind: "in-doubt", doubt: { code: "no-answer", reason: reach.reason } };
    const { connection } = reach;
    const step = earlier(deadline, deadlineIn(clock, RECALL_LIMIT_MS));
    const answer = await recallFrom(connection, place.register, attempt, step);
    switch (answer.kind) {
      case "outcome":
        return answer.outcome;
      case "never":
        return refusedWith(BROKEN_BEFORE);
      case "unknown":
        return { kind: "in-doubt", doubt: { code: "no-answer", reason: "агент в магазине не знает, чем закончилась печать" } };
      case "running":
        if (deadline.remainingMs() <= RUNNING_AGAIN_MS) return { kind: "in-doubt", doubt: { code: "answer-late" } };
        await pause(clock, RUNNING_AGAIN_MS);
        after = connection.epoch - 1;
        break;
      case "unreachable":
        if (answer.lasting || deadline.remainingMs() === 0)
          return { kind: "in-doubt", doubt: { code: "no-answer", reason: answer.reason } };
        // The question may have been refused (`busy`), or its answer may be late or lost. So the question is repeated.
        await pause(clock, RUNNING_AGAIN_MS);
        after = connection.epoch - 1;
        break;
    }
  }
}

export function refusedWith(reason: string): Outcome {
  return { kind: "refused", refusal: { code: "register-unreachable", details: { reason } } };
}

/** Returns the document's hash. An agent never makes two documents with different hashes under one attempt. */
function hashOf(document: RegisterDocument): string {
  return createHash("sha256").update(JSON.stringify(document)).digest("hex");
}

/** Returns the features of the wire (`NEEDS`) that the document needs beyond protocol 1. */
function needsOf(document: RegisterDocument): (typeof NEEDS)[number][] {
  const needs: (typeof NEEDS)[number][] = [];
  if (document.kind === "correction" || document.kind === "x-report" || document.kind === "state-report") needs.push(document.kind);
  if (isTrade(document) && document.lines.some(({ mark, unreadMark }) => mark !== undefined || unreadMark !== undefined))
    needs.push("marks");
  return needs;
}
