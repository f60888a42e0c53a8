import { CannotRun, type Finding, held } from "./finding.ts";
import type { Sent } from "./sent.ts";
import { toldAnswer, toldRequest, wordsOfAnswer, wordsOfCall } from "./told.ts";

/** Throws CannotRun when there was no answer: that says nothing about the rule. */
export function broken(sent: Sent, problem: string): Finding {
  if (sent.exchange.kind === "no-answer") throw new CannotRun(noAnswer(sent.exchange));
  return brokenBy(sent, problem);
}

function brokenBy(sent: Sent, problem: string): Finding {
  const told = { request: toldRequest(sent), answer: toldAnswer(sent.exchange) };
  return { kind: "broken", sent: wordsOfCall(sent), seen: `${problem}: ${wordsOfAnswer(sent)}`, ...told };
}

/** For the rules about time, which silence breaks as well once it has lasted longer than that. */
export function expectInTime(sent: Sent, limitMs: number): Finding {
  const { exchange } = sent;
  const took = `the answer took ${Math.round(exchange.elapsedMs)} ms of ${limitMs}`;
  if (exchange.elapsedMs > limitMs) return brokenBy(sent, took);
  return exchange.kind === "answer" ? held : broken(sent, took);
}

function noAnswer({ reason, elapsedMs }: { reason: string; elapsedMs: number }): string {
  return `no answer: ${reason} after ${Math.round(elapsedMs)} ms`;
}

/** Words of the first of these exchanges that brought no answer. */
export function silenceIn(exchanges: readonly Sent[]): string | undefined {
  for (const { exchange } of exchanges) if (exchange.kind === "no-answer") return noAnswer(exchange);
  return undefined;
}
