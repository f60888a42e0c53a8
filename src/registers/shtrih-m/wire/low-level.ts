import type { ExchangedKind, ExchangeRequest } from "./exchange.ts";

/**
 * One low-level protocol: its frames and its dialogue. Everything except the parser is pure. `Left`: the value that one exchange passes to
 * the next exchange.
 */
export interface LowLevel<State, Token extends { kind: string }, Left> {
  parser(): Parser<Token>;
  /** Returns the first step of an exchange. `left` is absent at the first exchange. */
  begin(request: ExchangeRequest, start: { open: boolean; left: Left | undefined; timing: Timing }): Step<State>;
  transition(state: State, input: Input<Token>): Step<State>;
  /** Returns the exchange's result. Undefined: it is running. */
  ended(state: State): Ended<Left> | undefined;
}

/** Splits a stream of bytes into tokens. The stream may arrive in pieces of any size. */
export interface Parser<Token> {
  /** Whether a frame has begun and not ended. Only then is the time between two bytes limited. */
  readonly insideFrame: boolean;
  push(bytes: Uint8Array): Token[];
  /** Drops an unfinished frame. The next byte is outside any frame. */
  abandon(): void;
}

export interface Timing {
  /** How long the driver waits for a control byte or any other reaction, ms. */
  acknowledgeMs: number;
  /** Silence after which the line counts as clean, ms. */
  settleMs: number;
}

export type Input<Token> =
  | Token
  /** A frame had a wrong check, or was incomplete. */
  | { kind: "damaged" }
  /** Nothing came within the step's wait. */
  | { kind: "silence" }
  /** The link was lost. `unsent`: no byte of the last `send` has left. */
  | { kind: "lost"; reason: string; unsent: boolean }
  | { kind: "opened" }
  | { kind: "shut"; reason: string }
  /** More bytes came than an exchange can need. */
  | { kind: "flooded" }
  | { kind: "expired" };

export type Effect = { kind: "send"; bytes: Uint8Array } | { kind: "open"; withinMs: number } | { kind: "close" };

export interface Step<State> {
  state: State;
  effects: readonly Effect[];
  /** The new time limit for the next input. Absent: the running wait continues. */
  waitMs?: number;
}

export interface Ended<Left> {
  result: ExchangedKind;
  /** Answers to earlier commands in this exchange, oldest first. */
  stale: readonly Buffer[];
  left: Left;
}

/** The limit of stored answers to earlier commands. A device keeps one. */
export const MAX_STALE = 8;
/** Some models do not react while they cut and print. After this time they count as lost (shtrih-protocol 3.3). */
export const ASKING_MS = 60_000;
/** How often the device is asked for a reaction before a command is sent (shtrih-protocol 1.6). */
const GREETINGS = 5;

/** Returns how often the device is asked before the command, so that it has `reactionMs` to react. */
export function greetingsOf({ reactionMs }: ExchangeRequest, { acknowledgeMs }: Timing): number {
  return reactionMs === undefined ? GREETINGS : Math.max(1, Math.ceil(reactionMs / acknowledgeMs));
}
