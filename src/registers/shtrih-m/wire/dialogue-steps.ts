import type { ExchangedKind } from "./exchange.ts";
import { ASKING_MS, type Effect, MAX_STALE, type Step, type Timing } from "./low-level.ts";

/** The shared steps of both protocols' dialogues. Pure. */

export interface LineMemory {
  openings: number;
  /** How many tokens were received: control bytes, frames, meaningless bytes. */
  tokens: number;
  /** Answers to earlier commands, oldest first. */
  stale: readonly Buffer[];
}

export interface Ending<Memory> {
  name: "ended";
  memory: Memory;
  result: ExchangedKind;
}

/** How often one exchange may open the link. */
const MAX_OPENINGS = 3;
/** The limit of tokens in one exchange, skipped tokens included. An exchange needs a few dozen. A line with more is broken. */
const MAX_TOKENS = 4_096;
/** How long a link may take to open before anything was sent. The time is short, because a cashier waits. */
const OPENING_MS = 3_000;

/** Why an exchange ended without its answer, in words for a cashier. */
export const WHY = {
  outOfTime: "касса не ответила за отведённое время",
  noisy: "в линии помехи",
  silent: "касса не отвечает",
  silentAfterCommand: "касса замолчала после команды",
} as const;

export const NOTHING_HAPPENED: LineMemory = { openings: 0, tokens: 0, stale: [] };

export function stay<State>(state: State): Step<State> {
  return { state, effects: [] };
}

export function end<Memory>(memory: Memory, result: ExchangedKind, effects: readonly Effect[] = []): Step<Ending<Memory>> {
  return { state: { name: "ended", memory, result }, effects };
}

/** Returns the result for an open link whose device does not react to the questions before the command. */
export function silent(bytesLeft: boolean): ExchangedKind {
  return { kind: "undelivered", reason: WHY.silent, bytesLeft, silent: true };
}

/** Closes the link to a device that never stops sending. The next exchange reopens it. */
export const HANG_UP: readonly Effect[] = [{ kind: "close" }];

/** Counts a token. Undefined: the line counts as broken. */
export function counted<Memory extends LineMemory>(memory: Memory, { kind }: { kind: string }): Memory | undefined {
  if (kind === "silence" || kind === "opened" || kind === "shut") return memory;
  return memory.tokens >= MAX_TOKENS ? undefined : { ...memory, tokens: memory.tokens + 1 };
}

/** Stores an answer to an earlier command. */
export function withStale<Memory extends LineMemory>(memory: Memory, data: Buffer): Memory {
  return { ...memory, stale: [...memory.stale, data].slice(-MAX_STALE) };
}

export function mayOpenAgain({ openings }: LineMemory): boolean {
  return openings < MAX_OPENINGS;
}

/** Opens the link. Waits longer if the device may have the command. */
export function openLink<Memory extends LineMemory>(memory: Memory, { hasLeft }: { hasLeft: boolean }) {
  return {
    state: { name: "opening" as const, memory: { ...memory, openings: memory.openings + 1 } },
    effects: [{ kind: "open" as const, withinMs: hasLeft ? ASKING_MS : OPENING_MS }],
  };
}

/** Returns how often a device that may have the command is asked about it. */
export function askingLimit({ acknowledgeMs }: Timing): number {
  return Math.max(1, Math.ceil(ASKING_MS / acknowledgeMs));
}
