import type { Clock } from "../../../kernel/clock.ts";
import type { Deadline } from "../../../kernel/deadline.ts";
import type { Link } from "../../links/link.ts";
import { traced } from "../../links/trace.ts";
import type { RegisterServices } from "../../protocol.ts";
import { type AnswerOf, type CommandName, commandOf, type RequestOf } from "../commands/commands.ts";
import { ASKING_MS, MAX_STALE } from "../wire/low-level.ts";
import { exchangerFor, type LowLevelName, type SpeakingExchanger } from "../wire/protocol-finder.ts";
import { pieceDescriber } from "../wire/trace.ts";
import { type Called, type CallOptions, call } from "./caller.ts";

/**
 * The operator's password opens a receipt, adds its positions with their tags, closes it and moves cash. All other commands use the system
 * administrator's password (shtrih-protocol 3.2).
 */
export interface Passwords {
  operator: number;
  system: number;
}

interface ConnectionOptions {
  link: Link;
  clock: Clock;
  passwords: Passwords;
  /** How long the driver waits for an acknowledgement, ms. */
  acknowledgeMs: number;
  /** The low-level protocol; `auto` detects it. Default: 1.0. */
  protocol?: LowLevelName | "auto";
  note: RegisterServices["note"];
  exchanged?: RegisterServices["exchanged"];
  tracing?: boolean;
  /** Whether this process may use the device now. Absent: it always may. */
  maySend?: RegisterServices["maySend"];
}

/** The result of a question, or of a command whose loss does no harm. */
export type Reply<N extends CommandName> =
  | { kind: "ok"; values: AnswerOf<N> }
  | { kind: "error"; error: number }
  | { kind: "unreachable"; reason: string };

/**
 * The shortest wait for an answer, before the device is asked whether it is still working on the command. Answers normally come within half
 * a second, and a cashier should not wait a minute for a lost answer.
 */
const CHECK_MS = 5_000;

/** One device at the end of its link: sends commands, returns answers, and counts the openings of the link. */
export class Connection {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly note: RegisterServices["note"];
  /** Whether this process may use the device now. The link asks this before each write anyway. Asking here only avoids useless waits. */
  readonly maySend: () => boolean;
  readonly #link: Link & { readonly openings: number };
  readonly #exchanger: SpeakingExchanger;
  readonly #acknowledgeMs: number;
  readonly #exchanged: NonNullable<RegisterServices["exchanged"]>;
  #stale: Buffer[] = [];

  constructor({ link, clock, passwords, acknowledgeMs, protocol = "1.0", note, exchanged, tracing = false, maySend }: ConnectionOptions) {
    this.clock = clock;
    this.passwords = passwords;
    this.note = note;
    this.maySend = maySend ?? (() => true);
    this.#acknowledgeMs = acknowledgeMs;
    this.#exchanged = exchanged ?? (() => {});
    this.#link = counted(traced(link, { note, ...(tracing ? { describe: pieceDescriber() } : {}) }));
    this.#exchanger = exchangerFor(protocol, {
      link: this.#link,
      clock,
      acknowledgeMs,
      // Some devices add a byte of noise to every exchange (shtrih-protocol 1.3), so noise is logged only at level trace.
      discarded: ({ kind }) =>
        note(kind === "noise" ? "trace" : "warn", "bytes from the register were thrown away", { link: link.name, kind }),
    });
  }

  /** The given or detected low-level protocol. Undefined: it is to be detected, and the device has not answered yet or became silent. */
  get protocol(): LowLevelName | undefined {
    return this.#exchanger.protocol;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  /** How often the link was opened. Each opening may reach a different device. */
  get openings(): number {
    return this.#link.openings;
  }

  /** Sends one command of the table and returns its answer, or why there is none. Throws RangeError when a value does not fit its field. */
  async call<N extends CommandName>(name: N, values: RequestOf<N>, options: CallOptions): Promise<Called<N>> {
    const [atMs, beganMs] = [this.clock.nowMs(), this.clock.monotonicMs()];
    const called = await call(this.#exchanger, name, values, { allowedMs: this.#checkMs(name), ...options });
    this.#exchanged({ command: name, atMs, tookMs: Math.round(this.clock.monotonicMs() - beganMs), code: codeOf(called) });
    this.#stale = [...this.#stale, ...called.stale].slice(-MAX_STALE);
    return called;
  }

  /**
   * Returns the wait for an answer, before the device is asked about the command: by ENQ (shtrih-protocol 1.5), or in protocol 2.0 by the
   * same frame. So a lost answer is noticed early. The driver asks at most `ASKING_MS / acknowledgeMs` times, so the wait is long enough
   * that all waits together reach the table's time limit. The wait is never longer than that limit.
   */
  #checkMs(name: CommandName): number {
    const { allowedMs } = commandOf(name);
    return Math.min(allowedMs, Math.max(CHECK_MS, Math.ceil((allowedMs * this.#acknowledgeMs) / ASKING_MS)));
  }

  /** Sends a question, or a command whose loss does no harm. `unreachable`: the command may have been carried out. */
  async ask<N extends CommandName>(name: N, values: RequestOf<N>, deadline: Deadline): Promise<Reply<N>> {
    const called = await this.call(name, values, { deadline });
    switch (called.kind) {
      case "ok":
      case "error":
        return called;
      case "undelivered":
      case "unknown":
        return { kind: "unreachable", reason: called.reason };
    }
  }

  /** Returns the late answers to earlier commands, at most the last `MAX_STALE`. Each is returned once. */
  takeStale(): Buffer[] {
    const stale = this.#stale;
    this.#stale = [];
    return stale;
  }

  close(): Promise<void> {
    return this.#exchanger.close();
  }
}

/** Returns the device's error in hexadecimal, as in shtrih-protocol 8. `0`: success. A word: there was no answer. */
function codeOf(called: Called<CommandName>): string {
  switch (called.kind) {
    case "ok":
      return "0";
    case "error":
      return `${called.error.toString(16).toUpperCase().padStart(2, "0")}h`;
    case "undelivered":
      return "undelivered";
    case "unknown":
      return "none";
  }
}

function counted(link: Link): Link & { readonly openings: number } {
  let openings = 0;
  return {
    name: link.name,
    get isOpen() {
      return link.isOpen;
    },
    get openings() {
      return openings;
    },
    async open(deadline) {
      const wasOpen = link.isOpen;
      const opened = await link.open(deadline);
      if (opened.kind === "open" && !wasOpen) openings += 1;
      return opened;
    },
    write: (bytes, deadline) => link.write(bytes, deadline),
    drain: (deadline) => link.drain(deadline),
    read: (deadline) => link.read(deadline),
    close: () => link.close(),
  };
}
