import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Call, Exchange } from "../sandbox/caller/call.ts";
import type { Kill } from "./kill-plan.ts";
import type { AgentProcess } from "./processes/agent-process.ts";
import type { ServerProcess } from "./processes/server-process.ts";
import type { Servers } from "./processes/servers.ts";
import { WriteCounter } from "./write-counter.ts";

export type Answer = Extract<Exchange, { kind: "answer" }>;
type Send = (base: string, call: Call, clock: Clock) => Promise<Exchange>;

/** The assumed duration and number of writes of a request whose path has not been measured yet. */
const FIRST_GUESS = { ms: 80, writes: 20 };
/** The first request after a start is slower, because nothing is compiled yet and no file is open. */
const COLD_FACTOR = 4;

interface StageParts {
  servers: Servers;
  agent?: AgentProcess;
  clock: Clock;
  note(text: string): void;
}

/**
 * Sends requests to the servers under test, in turn, and kills servers or the register's agent during the work. While another server runs,
 * a killed server stays stopped until the next `ask`: the running server takes over the registers.
 */
export class Stage {
  readonly #servers: Servers;
  readonly #agent: AgentProcess | undefined;
  readonly #clock: Clock;
  readonly #note: (text: string) => void;
  readonly #writes: ReadonlyMap<ServerProcess, WriteCounter>;
  readonly #usual = new Map<string, { ms: number; writes: number }>();
  #kills = 0;
  #cold = true;

  constructor({ servers, agent, clock, note }: StageParts) {
    this.#servers = servers;
    this.#agent = agent;
    this.#clock = clock;
    this.#note = note;
    this.#writes = new Map(servers.all.map((server) => [server, new WriteCounter(server.dataDir)]));
  }

  get kills(): number {
    return this.#kills;
  }

  /**
   * Sends the request once for each planned kill during the request, and once more at the end. A kill during the start of a stopped server
   * sends nothing. After a final answer, each repeat must give the same bytes.
   */
  async ask(call: Call, send: Send, kills: readonly Kill[], isFinal: (answer: Answer) => boolean): Promise<Answer> {
    await this.#startDead();
    let firstFinal: Answer | undefined;
    for (const kill of kills) {
      const exchange = await this.#sendAndKill(kill, call, send);
      if (exchange?.kind === "answer" && isFinal(exchange)) firstFinal = expectSameAnswer(firstFinal, exchange);
    }
    if (this.#servers.running.length === 0) await this.#startDead();
    if (kills.length > 0) await this.#agentConnected();
    const asked = this.#servers.next();
    const writesBefore = this.#writesOf(asked);
    const exchange = await send(asked.base, call, this.#clock);
    if (exchange.kind === "no-answer") throw new Failure("no-answer", "fault", `no answer: ${exchange.reason}`);
    if (!this.#cold && kills.length === 0) this.#learn(call, exchange.elapsedMs, this.#writesOf(asked) - writesBefore);
    this.#cold = false;
    return firstFinal === undefined ? exchange : expectSameAnswer(firstFinal, exchange);
  }

  close(): void {
    for (const counter of this.#writes.values()) counter.close();
  }

  async #sendAndKill(kill: Kill, call: Call, send: Send): Promise<Exchange | undefined> {
    const servers = this.#servers;
    this.#kills += 1;
    const [dead] = servers.dead;
    if (kill.at === "start" && dead !== undefined) {
      const delayMs = kill.fraction * dead.startedInMs;
      await dead.start(delayMs);
      this.#note(`kill -9 ${delayMs.toFixed(0)} ms after the start`);
      return undefined;
    }
    if (servers.running.length === 0) await this.#startDead();
    await this.#agentConnected();
    const asked = servers.next();
    // Any running server may be killed, not only the server that got the request: another server may have the register.
    const struck = servers.running[this.#kills % servers.running.length] ?? asked;
    const moment = this.#momentOf(kill, call, struck);
    const victim = kill.victim === "agent" && this.#agent?.alive === true ? this.#agent : struck;
    const killed = moment.reached.then(() => victim.kill());
    const [exchange] = await Promise.all([send(asked.base, call, this.#clock), killed]);
    const outcome = exchange.kind === "answer" ? `answered ${exchange.status} before` : "no answer";
    const who = victim === this.#agent ? "of the agent " : servers.isSeveral ? `${servers.nameOf(struck)} ` : "";
    const whom = servers.isSeveral ? ` to ${servers.nameOf(asked)}` : "";
    this.#note(`kill -9 ${who}${moment.words} after the request${whom}: ${outcome}`);
    if (victim === this.#agent) await victim.start();
    return exchange;
  }

  /** Waits until a running agent is connected. Before the installation no agent runs. */
  async #agentConnected(): Promise<void> {
    if (this.#agent?.alive === true) await this.#agent.connected(this.#servers.first.base);
  }

  /**
   * Returns the moment of a kill: after a time, or after a number of writes. If these writes do not come, the kill comes after twice the
   * usual duration.
   */
  #momentOf({ at, fraction }: Kill, call: Call, victim: ServerProcess): { reached: Promise<void>; words: string } {
    const usual = this.#usual.get(call.path) ?? FIRST_GUESS;
    const wholeMs = usual.ms * (this.#cold ? COLD_FACTOR : 1);
    if (at === "time") return { reached: pause(this.#clock, fraction * wholeMs), words: `${(fraction * wholeMs).toFixed(0)} ms` };
    const writes = Math.max(1, Math.round(fraction * usual.writes));
    const limit = new AbortController();
    const late = pause(this.#clock, 2 * wholeMs, limit.signal).then(() => limit.abort());
    const written = this.#writes.get(victim)?.after(writes, limit.signal) ?? Promise.resolve();
    const reached = written.then(() => limit.abort());
    return { reached: Promise.all([reached, late]).then(() => {}), words: `${writes} writes` };
  }

  async #startDead(): Promise<void> {
    for (const server of this.#servers.dead) {
      await server.start();
      this.#cold = true;
      this.#note(`${this.#servers.nameOf(server)} started again, process ${server.pid}, ${server.startedInMs.toFixed(0)} ms`);
    }
  }

  #writesOf(server: ServerProcess): number {
    return this.#writes.get(server)?.count ?? 0;
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
