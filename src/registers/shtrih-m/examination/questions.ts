import { type Deadline, deadlineIn, earlier } from "../../../kernel/deadline.ts";
import type { Facts, LineQuality } from "../../examination-schema.ts";
import type { RegisterServices } from "../../protocol.ts";
import { type CommandName, commandOf, nameOf, type RequestOf } from "../commands/commands.ts";
import type { QuestionedDevice } from "../identity/fields.ts";
import type { Connection, Passwords, Reply } from "../session/connection.ts";
import type { LineTraffic } from "./line.ts";

const QUESTION_MS = 20_000;
/** After this many unanswered questions in a row the device counts as missing. */
const MAX_UNANSWERED = 2;

type Unanswered = Facts["unanswered"][number];

/** Asks a device questions. Records the unanswered questions and the times. Changes nothing at the device. */
export class Questions implements QuestionedDevice {
  readonly passwords: Passwords;
  readonly #connection: Connection;
  readonly #traffic: Readonly<LineTraffic>;
  readonly #deadline: Deadline;
  readonly #unanswered: Unanswered[] = [];
  readonly #asked = new Set<CommandName>();
  #questions = 0;
  #slowest = { ms: 0, question: "" };
  #silent: string[] = [];
  #foreign = 0;

  constructor(connection: Connection, traffic: Readonly<LineTraffic>, deadline: Deadline) {
    this.passwords = connection.passwords;
    this.#connection = connection;
    this.#traffic = traffic;
    this.#deadline = deadline;
  }

  note: RegisterServices["note"] = (level, text, values) => this.#connection.note(level, text, values);

  /**
   * Why the device counts as missing: the last `MAX_UNANSWERED` questions, or all questions so far, had no answer. Undefined: the device
   * answers.
   */
  get lost(): string | undefined {
    return this.#silent.length >= MAX_UNANSWERED || this.#questions === this.#silent.length ? this.#silent.at(-1) : undefined;
  }

  get unanswered(): readonly Unanswered[] {
    return this.#unanswered;
  }

  async ask<N extends CommandName>(name: N, values: RequestOf<N>): Promise<Reply<N>> {
    if (this.lost !== undefined) return { kind: "unreachable", reason: this.lost };
    const { clock } = this.#connection;
    const startedMs = clock.monotonicMs();
    const reply = await this.#connection.ask(name, values, earlier(this.#deadline, deadlineIn(clock, QUESTION_MS)));
    this.#count(name, clock.monotonicMs() - startedMs);
    this.#silent = reply.kind === "unreachable" ? [...this.#silent, reply.reason] : [];
    return reply;
  }

  /** Returns the answer's values. Undefined: no answer came, or an error. Such a question is recorded for the report. */
  async values<N extends CommandName>(name: N, values: RequestOf<N>) {
    const reply = await this.ask(name, values);
    if (reply.kind === "ok") return reply.values;
    const question = titleOf(name);
    this.#unanswered.push(
      reply.kind === "error" ? { question, why: wordsOf(reply.error), code: hexOf(reply.error) } : { question, why: reply.reason },
    );
    return undefined;
  }

  refusedWith(error: number): boolean {
    return this.#unanswered.some(({ code }) => code === hexOf(error));
  }

  /** Asks one question and measures the time. Undefined: the device gave no answer, or answered with an error. */
  async timed<N extends CommandName>(name: N, values: RequestOf<N>) {
    const { clock } = this.#connection;
    const startedMs = clock.monotonicMs();
    const reply = await this.ask(name, values);
    return reply.kind === "ok" ? { values: reply.values, tookMs: clock.monotonicMs() - startedMs } : undefined;
  }

  /** Whether the data is a late answer to a question of this examination. */
  #isAskedFor(data: Buffer): boolean {
    const name = nameOf(data);
    return name !== undefined && this.#asked.has(name);
  }

  quality(roundTripMs: number | undefined): LineQuality {
    const { commands, damaged, noise, openings } = this.#traffic;
    return {
      protocol: this.#connection.protocol ?? "unknown",
      ...(roundTripMs === undefined ? {} : { roundTripMs: rounded(roundTripMs) }),
      slowestMs: rounded(this.#slowest.ms),
      ...(this.#slowest.question === "" ? {} : { slowestQuestion: this.#slowest.question }),
      questions: this.#questions,
      repeated: Math.max(0, commands - this.#questions),
      damaged,
      noise,
      foreign: this.#foreign,
      reopened: Math.max(0, openings - 1),
    };
  }

  #count(name: CommandName, tookMs: number): void {
    this.#questions += 1;
    this.#asked.add(name);
    this.#foreign += this.#connection.takeStale().filter((data) => !this.#isAskedFor(data)).length;
    // The first question does not count as the slowest, because its time includes the opening of the link and the search for the protocol.
    if (this.#questions > 1 && tookMs > this.#slowest.ms) this.#slowest = { ms: tookMs, question: titleOf(name) };
  }
}

/** Returns a command's title with its code, such as `drive status (FF01)`. */
export function titleOf(name: CommandName): string {
  const { title, code } = commandOf(name);
  return `${title} (${Buffer.from(code).toString("hex").toUpperCase()}${code.length === 1 ? "h" : ""})`;
}

/** Possible errors of a question (shtrih-protocol 8). */
const WORDS: Readonly<Record<number, string>> = {
  8: "it has no such data",
  51: "it takes the parameters for wrong",
  55: "it does not know the question",
  79: "the password is wrong",
  80: "it is printing",
  88: "it waits to go on printing",
  93: "it has no such table",
  115: "not in the mode that it is in",
};

function wordsOf(error: number): string {
  return WORDS[error] ?? "it answers with an error";
}

export function hexOf(byte: number): string {
  return `${byte.toString(16).toUpperCase().padStart(2, "0")}h`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
