import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Call, Exchange } from "../sandbox/caller/call.ts";
import type { Kill } from "./kill-plan.ts";
import type { ServerProcess } from "./server-process.ts";
import { WriteCounter } from "./write-counter.ts";

export type Answer = Extract<Exchange, { kind: "answer" }>;
type Send = (base: string, call: Call, clock: Clock) => Promise<Exchange>;

/** The assumed duration and number of writes of a request that has not been measured yet. */
const FIRST_GUESS = { ms: 80, writes: 20 };
/** How much longer the first request after a start takes, because nothing is compiled and no file is open. */
const COLD_FACTOR = 4;

/** Sends requests to the server under test and kills the server while it works. */
export class Stage {
  readonly #server: ServerProcess;
  readonly #clock: Clock;
  readonly #note: (text: string) => void;
  readonly #writes: WriteCounter;
  readonly #usual = new Map<string, { ms: number; writes: number }>();
  #kills = 0;
  #cold = true;

  constructor(server: ServerProcess, clock: Clock, note: (text: string) => void) {
    this.#server = server;
    this.#clock = clock;
    this.#note = note;
    this.#writes = new WriteCounter(server.dataDir);
  }

  get kills(): number {
    return this.#kills;
  }

  /**
   * Sends the request until its answer is final. Each planned kill happens during the request, or while the server starts again;
   * then the same request is repeated. When an answer went out before a kill, the repeat must give the same bytes.
   */
  async ask(call: Call, send: Send, kills: readonly Kill[], isFinal: (answer: Answer) => boolean): Promise<Answer> {
    let promised: Answer | undefined;
    for (const kill of kills) {
      const exchange = await this.#strike(kill, call, send);
      if (exchange?.kind === "answer" && isFinal(exchange)) promised = keepWord(promised, exchange);
    }
    await this.#revive();
    const writesBefore = this.#writes.count;
    const exchange = await send(this.#server.base, call, this.#clock);
    if (exchange.kind === "no-answer") throw new Failure("no-answer", "fault", `no answer: ${exchange.reason}`);
    if (!this.#cold && kills.length === 0) this.#learn(call, exchange.elapsedMs, this.#writes.count - writesBefore);
    this.#cold = false;
    return promised === undefined ? exchange : keepWord(promised, exchange);
  }

  close(): void {
    this.#writes.close();
  }

  async #strike(kill: Kill, call: Call, send: Send): Promise<Exchange | undefined> {
    this.#kills += 1;
    if (kill.at === "start" && !this.#server.alive) {
      const delayMs = kill.fraction * this.#server.startedInMs;
      await this.#server.start(delayMs);
      this.#note(`kill -9 ${delayMs.toFixed(0)} ms after the start`);
      return undefined;
    }
    await this.#revive();
    const moment = this.#momentOf(kill, call);
    const death = moment.come.then(() => this.#server.kill());
    const [exchange] = await Promise.all([send(this.#server.base, call, this.#clock), death]);
    const met = exchange.kind === "answer" ? `answered ${exchange.status} before` : "no answer";
    this.#note(`kill -9 ${moment.words} after the request: ${met}`);
    return exchange;
  }

  /** The moment of a kill: after a number of writes, but not long after the request is over; or at a time. */
  #momentOf({ at, fraction }: Kill, call: Call): { come: Promise<void>; words: string } {
    const usual = this.#usual.get(call.path) ?? FIRST_GUESS;
    const wholeMs = usual.ms * (this.#cold ? COLD_FACTOR : 1);
    if (at === "time") return { come: pause(this.#clock, fraction * wholeMs), words: `${(fraction * wholeMs).toFixed(0)} ms` };
    const writes = Math.max(1, Math.round(fraction * usual.writes));
    const limit = new AbortController();
    const late = pause(this.#clock, 2 * wholeMs, limit.signal).then(() => limit.abort());
    const come = this.#writes.after(writes, limit.signal).then(() => limit.abort());
    return { come: Promise.all([come, late]).then(() => {}), words: `${writes} writes` };
  }

  async #revive(): Promise<void> {
    if (this.#server.alive) return;
    await this.#server.start();
    this.#cold = true;
    this.#note(`server started again, process ${this.#server.pid}, ${this.#server.startedInMs.toFixed(0)} ms`);
  }

  #learn({ path }: Call, ms: number, writes: number): void {
    const known = this.#usual.get(path) ?? { ms, writes };
    this.#usual.set(path, { ms: (known.ms + ms) / 2, writes: (known.writes + writes) / 2 });
  }
}

function keepWord(promised: Answer | undefined, answer: Answer): Answer {
  if (promised !== undefined && (promised.status !== answer.status || !promised.body.equals(answer.body))) {
    throw new Failure(
      "answer-changed",
      "fault",
      `the repeat was answered ${answer.status} otherwise than the first time (${promised.status})`,
    );
  }
  return answer;
}
