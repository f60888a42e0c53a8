import type { Clock } from "../../../kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../../kernel/deadline.ts";
import { registerFailure } from "../../failures.ts";
import type { Link } from "../../links/link.ts";
import { openWithin } from "../../links/reopening.ts";
import type { Exchanged, ExchangeRequest, Exchanger } from "./exchange.ts";
import type { Effect, Ended, Input, LowLevel, Parser, Step, Timing } from "./low-level.ts";

export interface RunnerOptions {
  link: Link;
  clock: Clock;
  /** How long the driver waits for an acknowledgement, ms; drivers use 1000 to 3000 (shtrih-protocol 3.3). */
  acknowledgeMs?: number;
  /** Called for dropped bytes: noise, damaged frames, late answers. */
  discarded?(what: Discarded): void;
}

export type Discarded = { kind: "noise" | "damaged" } | { kind: "stale"; data: Buffer };

const ACKNOWLEDGE_MS = 3_000;
/** After this silence no more meaningless bytes come (shtrih-protocol 1.3). */
const SETTLE_MS = 100;
/**
 * Longest gap inside a frame. Devices allow 50 to 100 ms, but a network or a busy machine may pause for longer. Waiting costs nothing,
 * because nothing else can be done meanwhile.
 */
const BYTE_GAP_MS = 1_000;
/**
 * The limit of bytes in one exchange: about eight times the longest frame with all its bytes escaped. Tokens have a limit too, but a long
 * frame counts as one token.
 */
const MAX_EXCHANGE_BYTES = 1_048_576;
/** The limit of dropped bytes before an exchange: the capacity of a link's inbox. If a device has sent more, its link is closed. */
const MAX_CLEARED_BYTES = 65_536;

/** Runs one low-level protocol over a link. It passes received bytes to the dialogue, sends the dialogue's bytes, and keeps the time. */
export class Runner<State, Token extends { kind: string }, Left> implements Exchanger {
  readonly #lowLevel: LowLevel<State, Token, Left>;
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #discarded: (what: Discarded) => void;
  readonly #closing = new AbortController();
  readonly #parser: Parser<Token>;
  #tokens: Token[] = [];
  /** The number of bytes received in this exchange. */
  #bytes = 0;
  #left: Left | undefined;
  #busy = false;

  constructor(
    lowLevel: LowLevel<State, Token, Left>,
    { link, clock, acknowledgeMs = ACKNOWLEDGE_MS, discarded = () => {} }: RunnerOptions,
  ) {
    this.#lowLevel = lowLevel;
    this.#parser = lowLevel.parser();
    this.#link = link;
    this.#clock = clock;
    this.#timing = { acknowledgeMs, settleMs: SETTLE_MS };
    this.#discarded = discarded;
  }

  async exchange(request: ExchangeRequest, deadline: Deadline): Promise<Exchanged> {
    if (this.#busy) throw registerFailure("exchange-overlap", "fault", "two exchanges with one device at once");
    this.#busy = true;
    try {
      return await this.#exchange(request, deadline);
    } finally {
      this.#busy = false;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#link.close();
  }

  async #exchange(request: ExchangeRequest, deadline: Deadline): Promise<Exchanged> {
    await this.#clear();
    let step = this.#lowLevel.begin(request, { open: this.#link.isOpen, left: this.#left, timing: this.#timing });
    let timer = deadline;
    for (;;) {
      const came = await this.#carryOut(step.effects, deadline);
      const ended = this.#lowLevel.ended(step.state);
      if (ended !== undefined) return this.#end(ended);
      // The wait starts after the bytes were sent, which takes a while on a slow line.
      if (step.waitMs !== undefined) timer = deadlineIn(this.#clock, step.waitMs);
      step = this.#turn(step.state, came ?? (await this.#next(timer, deadline)));
    }
  }

  #turn(state: State, input: Input<Token>): Step<State> {
    if (input.kind === "noise" || input.kind === "damaged") this.#discarded({ kind: input.kind });
    return this.#lowLevel.transition(state, input);
  }

  #end({ result, stale, left }: Ended<Left>): Exchanged {
    this.#left = left;
    for (const data of stale) this.#discarded({ kind: "stale", data });
    return { ...result, stale };
  }

  /** Drops bytes that came since the last exchange: they cannot answer the next command. */
  async #clear(): Promise<void> {
    this.#tokens = [];
    this.#bytes = 0;
    this.#parser.abandon();
    for (let cleared = 0; this.#link.isOpen; ) {
      const received = await this.#link.read(deadlineIn(this.#clock, 0));
      if (received.kind !== "bytes") return;
      cleared += received.bytes.length;
      if (cleared > MAX_CLEARED_BYTES) await this.#link.close();
    }
  }

  /** Carries out the effects in order. A failure or the result of `open` is the next input and ends the list. */
  async #carryOut(effects: readonly Effect[], deadline: Deadline): Promise<Input<Token> | undefined> {
    for (const effect of effects) {
      const came = await this.#do(effect, deadline);
      if (came !== undefined) return came;
    }
    return undefined;
  }

  async #do(effect: Effect, deadline: Deadline): Promise<Input<Token> | undefined> {
    switch (effect.kind) {
      case "send":
        return this.#send(effect.bytes, deadline);
      case "open":
        return this.#open(effect.withinMs, deadline);
      case "close":
        await this.#link.close();
        return undefined;
    }
  }

  async #send(bytes: Uint8Array, deadline: Deadline): Promise<Input<Token> | undefined> {
    const written = await this.#link.write(bytes, deadline);
    if (written.kind === "lost") return { kind: "lost", reason: written.reason, unsent: !written.left };
    const drained = await this.#link.drain(deadline);
    return drained.kind === "lost" ? { kind: "lost", reason: drained.reason, unsent: false } : undefined;
  }

  async #open(withinMs: number, deadline: Deadline): Promise<Input<Token>> {
    const opened = await openWithin(this.#link, { clock: this.#clock, withinMs, deadline, signal: this.#closing.signal });
    this.#tokens = [];
    this.#parser.abandon();
    return opened.kind === "open" ? { kind: "opened" } : opened;
  }

  /** Returns the next input: a token, a broken off frame, silence, a loss, too many bytes, or the end of the caller's time. */
  async #next(timer: Deadline, deadline: Deadline): Promise<Input<Token>> {
    for (;;) {
      const token = this.#tokens.shift();
      if (token !== undefined) return token;
      const inside = this.#parser.insideFrame;
      const wait = inside ? deadlineIn(this.#clock, BYTE_GAP_MS) : timer;
      const received = await this.#link.read(wait.atMs < deadline.atMs ? wait : deadline);
      switch (received.kind) {
        case "bytes":
          this.#bytes += received.bytes.length;
          if (this.#bytes > MAX_EXCHANGE_BYTES) return { kind: "flooded" };
          this.#tokens = this.#parser.push(received.bytes);
          break;
        case "lost":
          return { kind: "lost", reason: received.reason, unsent: false };
        case "silence":
          if (deadline.remainingMs() <= 0) return { kind: "expired" };
          this.#parser.abandon();
          return inside ? { kind: "damaged" } : { kind: "silence" };
      }
    }
  }
}
