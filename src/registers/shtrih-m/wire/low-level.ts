import type { ExchangedKind, ExchangeRequest } from "./exchange.ts";

/**
 * One version of the low level as the runner needs it: its frames and its turns. Everything but the parser is pure.
 * `Left` is what one exchange leaves to the next.
 */
export interface LowLevel<State, Token extends { kind: string }, Left> {
  parser(): Parser<Token>;
  /** Returns the first step of an exchange; `left` is absent at the first one. */
  begin(request: ExchangeRequest, start: { open: boolean; left: Left | undefined; timing: Timing }): Step<State>;
  transition(state: State, input: Input<Token>): Step<State>;
  /** Returns the result of the exchange; undefined while it runs. */
  ended(state: State): Ended<Left> | undefined;
}

/** Cuts a stream of bytes into tokens, in pieces of any size. */
export interface Parser<Token> {
  /** Whether a frame has begun and not ended: the time between two bytes counts only then. */
  readonly insideFrame: boolean;
  push(bytes: Uint8Array): Token[];
  /** Drops an unfinished frame; the next byte is outside any frame. */
  abandon(): void;
}

export interface Timing {
  /** Wait for a byte of control, or for any reaction, ms. */
  acknowledgeMs: number;
  /** Silence after which the line counts as clean, ms. */
  settleMs: number;
}

export type Input<Token> =
  | Token
  /** A frame was changed on the way, or stopped half-way. */
  | { kind: "damaged" }
  /** Nothing came in the time that the step allowed. */
  | { kind: "silence" }
  /** The link is gone; `unsent`: nothing of the last sending has left. */
  | { kind: "lost"; reason: string; unsent: boolean }
  | { kind: "opened" }
  | { kind: "shut"; reason: string }
  /** More bytes have come than an exchange can need. */
  | { kind: "flooded" }
  /** The caller's time is over. */
  | { kind: "expired" };

export type Effect = { kind: "send"; bytes: Uint8Array } | { kind: "open"; withinMs: number } | { kind: "close" };

export interface Step<State> {
  state: State;
  effects: readonly Effect[];
  /** New time to wait for the next input; absent: the time that runs goes on. */
  waitMs?: number;
}

export interface Ended<Left> {
  result: ExchangedKind;
  /** Answers to earlier commands that came during the exchange, oldest first. */
  stale: readonly Buffer[];
  left: Left;
}

/** The largest number of answers to earlier commands that are kept; a device holds one. */
export const MAX_STALE = 8;
/** Some models do not react while they cut and print. After this time they count as lost (reference 3.3). */
export const ASKING_MS = 60_000;
/** How often the device is asked whether it reacts before a command is sent (reference 1.6). */
const GREETINGS = 5;

/** Returns how often the device is asked before the command is sent, so that it has the time `reactionMs` to react. */
export function greetingsOf({ reactionMs }: ExchangeRequest, { acknowledgeMs }: Timing): number {
  return reactionMs === undefined ? GREETINGS : Math.max(1, Math.ceil(reactionMs / acknowledgeMs));
}
