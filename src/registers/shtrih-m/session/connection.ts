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
 * The password of an operator is used to open a receipt, to add positions with their tags, to close it and to move
 * cash. All other commands use the password of the system administrator (reference 3.2).
 */
export interface Passwords {
  operator: number;
  system: number;
}

interface ConnectionOptions {
  link: Link;
  clock: Clock;
  passwords: Passwords;
  /** Wait for an acknowledgement, ms. */
  acknowledgeMs: number;
  /** Version of the low level; `auto` finds it out. Default: 1.0. */
  protocol?: LowLevelName | "auto";
  note: RegisterServices["note"];
  /** Called after each command, with the code of its answer. */
  exchanged?: RegisterServices["exchanged"];
  /** Whether the bytes of both directions are logged. */
  tracing?: boolean;
  /** Whether this process may use the device now. Absent: it always may. */
  maySend?: RegisterServices["maySend"];
}

/** The result of a question. A question changes nothing at the device, so it may be asked again. */
export type Reply<N extends CommandName> =
  | { kind: "ok"; values: AnswerOf<N> }
  | { kind: "error"; error: number }
  | { kind: "unreachable"; reason: string };

/**
 * The wait before the device is asked whether it still works. Answers normally come within half a second, and a cashier should not wait a
 * minute when an answer was lost.
 */
const CHECK_MS = 5_000;

/** One device at the end of its link: sends commands, returns answers, and notices that the link was opened again. */
export class Connection {
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly note: RegisterServices["note"];
  /** Whether this process may use the device now. The link asks before each write too. Asking here only avoids useless waits. */
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
      // Some devices add a byte of noise to every exchange (reference 1.3).
      discarded: ({ kind }) =>
        note(kind === "noise" ? "trace" : "warn", "bytes from the register were thrown away", { link: link.name, kind }),
    });
  }

  /** Returns the version of the low level in which the device has answered; undefined until then. */
  get protocol(): LowLevelName | undefined {
    return this.#exchanger.protocol;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  /** Returns how often the link was opened. After another opening another device may be there. */
  get openings(): number {
    return this.#link.openings;
  }

  /** Sends one command of the table. Throws RangeError for a value that does not fit its field. */
  async call<N extends CommandName>(name: N, values: RequestOf<N>, options: CallOptions): Promise<Called<N>> {
    const [atMs, beganMs] = [this.clock.nowMs(), this.clock.monotonicMs()];
    const called = await call(this.#exchanger, name, values, { allowedMs: this.#checkMs(name), ...options });
    this.#exchanged({ command: name, atMs, tookMs: Math.round(this.clock.monotonicMs() - beganMs), code: codeOf(called) });
    this.#stale = [...this.#stale, ...called.stale].slice(-MAX_STALE);
    return called;
  }

  /**
   * Returns the wait after which ENQ asks whether the device still works on the command (reference 1.5). So a lost answer is noticed within
   * seconds. For a device that still works the driver waits as long as the table allows.
   */
  #checkMs(name: CommandName): number {
    const { allowedMs } = commandOf(name);
    return Math.min(allowedMs, Math.max(CHECK_MS, Math.ceil((allowedMs * this.#acknowledgeMs) / ASKING_MS)));
  }

  /** Asks a question that does not change the device. */
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

  /** Returns the answers to earlier commands that arrived with later exchanges. Each is returned once. */
  takeStale(): Buffer[] {
    const stale = this.#stale;
    this.#stale = [];
    return stale;
  }

  /** Closes the link. */
  close(): Promise<void> {
    return this.#exchanger.close();
  }
}

/**
 * Returns the error of the device in hexadecimal, as chapter 8 lists it; `0` for success; a word when there was no
 * answer.
 */
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

/** Returns a link that counts how often it was opened. */
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
