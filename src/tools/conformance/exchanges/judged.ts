import { CannotRun, type CheckResult, held } from "./check-result.ts";
import { reportedAnswer, reportedRequest, wordsOfAnswer, wordsOfCall } from "./report-text.ts";
import type { Sent } from "./sent.ts";

/** Returns a broken result. Throws CannotRun when the request got no answer, because a missing answer proves nothing about the rule. */
export function broken(sent: Sent, problem: string): CheckResult {
  if (sent.exchange.kind === "no-answer") throw new CannotRun(noAnswer(sent.exchange));
  return brokenBy(sent, problem);
}

function brokenBy(sent: Sent, problem: string): CheckResult {
  const reported = { request: reportedRequest(sent), answer: reportedAnswer(sent.exchange) };
  return { kind: "broken", sent: wordsOfCall(sent), seen: `${problem}: ${wordsOfAnswer(sent)}`, ...reported };
}

/**
 * Checks a rule about time. A missing answer after the limit also breaks such a rule. Throws CannotRun when the connection ended without an
 * answer within the limit.
 */
export function expectInTime(sent: Sent, limitMs: number): CheckResult {
  const { exchange } = sent;
  const took = `the answer took ${Math.round(exchange.elapsedMs)} ms of ${limitMs}`;
  if (exchange.elapsedMs > limitMs) return brokenBy(sent, took);
  return exchange.kind === "answer" ? held : broken(sent, took);
}

function noAnswer({ reason, elapsedMs }: { reason: string; elapsedMs: number }): string {
  return `no answer: ${reason} after ${Math.round(elapsedMs)} ms`;
}

/** Returns words about the first exchange without an answer. Undefined: every exchange has an answer. */
export function silenceIn(exchanges: readonly Sent[]): string | undefined {
  for (const { exchange } of exchanges) if (exchange.kind === "no-answer") return noAnswer(exchange);
  return undefined;
}
