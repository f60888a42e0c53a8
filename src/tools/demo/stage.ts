import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Call, Exchange } from "../sandbox/caller/call.ts";
import type { Kill } from "./kill-plan.ts";
import type { AgentProcess } from "./processes/agent-process.ts";
import type { ServerProcess } from "./processes/server-process.ts";
import { WriteCounter } from "./write-counter.ts";

export type Answer = Extract<Exchange, { kind: "answer" }>;
type Send = (base: string, call: Call, clock: Clock) => Promise<Exchange>;

/** The assumed duration and number of writes of a request that has not been measured yet. */
const FIRST_GUESS = { ms: 80, writes: 20 };
/** How many times longer the first request after a start takes, because nothing is compiled yet and no file is open. */
const COLD_FACTOR = 4;

interface StageParts {
  server: ServerProcess;
  /** The agent that has the register, if there is one. */
  agent?: AgentProcess;
  clock: Clock;
  note(text: string): void;
}

/** Sends requests to the server under test, and kills the server or the register's agent while they work. */
export class Stage {
  readonly #server: ServerProcess;
  readonly #agent: AgentProcess | undefined;
  readonly #clock: Clock;
  readonly #note: (text: string) => void;
  readonly #writes: WriteCounter;
  readonly #usual = new Map<string, { ms: number; writes: number }>();
  #kills = 0;
  #cold = true;

  constructor({ server, agent, clock, note }: StageParts) {
    this.#server = server;
    this.#agent = agent;
    this.#clock = clock;
    this.#note = note;
    this.#writes = new WriteCounter(server.dataDir);
  }

  get kills(): number {
    return this.#kills;
  }

  /**
   * Sends the request once for each planned kill and once more at the end. A kill happens during the request, or while the server
   * starts again. When a final answer arrived before a kill, each repeat must give the same bytes.
   */
  async ask(call: Call, send: Send, kills: readonly Kill[], isFinal: (answer: Answer) => boolean): Promise<Answer> {
    let firstFinal: Answer | undefined;
    for (const kill of kills) {
      const exchange = await this.#sendAndKill(kill, call, send);
      if (exchange?.kind === "answer" && isFinal(exchange)) firstFinal = expectSameAnswer(firstFinal, exchange);
    }
    await this.#startIfKilled();
    if (kills.length > 0) await this.#agentConnected();
    const writesBefore = this.#writes.count;
    const exchange = await send(this.#server.base, call, this.#clock);
    if (exchange.kind === "no-answer") throw new Failure("no-answer", "fault", `no answer: ${exchange.reason}`);
    if (!this.#cold && kills.length === 0) this.#learn(call, exchange.elapsedMs, this.#writes.count - writesBefore);
    this.#cold = false;
    return firstFinal === undefined ? exchange : expectSameAnswer(firstFinal, exchange);
  }

  close(): void {
    this.#writes.close();
  }

  async #sendAndKill(kill: Kill, call: Call, send: Send): Promise<Exchange | undefined> {
    this.#kills += 1;
    if (kill.at === "start" && !this.#server.alive) {
      const delayMs = kill.fraction * this.#server.startedInMs;
      await this.#server.start(delayMs);
      this.#note(`kill -9 ${delayMs.toFixed(0)} ms after the start`);
      return undefined;
    }
    await this.#startIfKilled();
    await this.#agentConnected();
    const moment = this.#momentOf(kill, call);
    const victim = kill.victim === "agent" && this.#agent?.alive === true ? this.#agent : this.#server;
    const killed = moment.reached.then(() => victim.kill());
    const [exchange] = await Promise.all([send(this.#server.base, call, this.#clock), killed]);
    const outcome = exchange.kind === "answer" ? `answered ${exchange.status} before` : "no answer";
    const name = victim === this.#agent ? "of the agent " : "";
    this.#note(`kill -9 ${name}${moment.words} after the request: ${outcome}`);
    if (victim === this.#agent) await victim.start();
    return exchange;
  }

  /** Waits for an agent that runs. Before the installation there is none. */
  async #agentConnected(): Promise<void> {
    if (this.#agent?.alive === true) await this.#agent.connected(this.#server.base);
  }

  /** Returns the moment of a kill: after a time, or after a number of writes, but not long after the end of the request. */
  #momentOf({ at, fraction }: Kill, call: Call): { reached: Promise<void>; words: string } {
    const usual = this.#usual.get(call.path) ?? FIRST_GUESS;
    const wholeMs = usual.ms * (this.#cold ? COLD_FACTOR : 1);
    if (at === "time") return { reached: pause(this.#clock, fraction * wholeMs), words: `${(fraction * wholeMs).toFixed(0)} ms` };
    const writes = Math.max(1, Math.round(fraction * usual.writes));
    const limit = new AbortController();
    const late = pause(this.#clock, 2 * wholeMs, limit.signal).then(() => limit.abort());
    const reached = this.#writes.after(writes, limit.signal).then(() => limit.abort());
    return { reached: Promise.all([reached, late]).then(() => {}), words: `${writes} writes` };
  }

  async #startIfKilled(): Promise<void> {
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

function expectSameAnswer(firstFinal: Answer | undefined, answer: Answer): Answer {
  if (firstFinal !== undefined && (firstFinal.status !== answer.status || !firstFinal.body.equals(answer.body))) {
    throw new Failure(
      "answer-changed",
      "fault",
      `the repeat was answered ${answer.status} otherwise than the first time (${firstFinal.status})`,
    );
  }
  return answer;
}
