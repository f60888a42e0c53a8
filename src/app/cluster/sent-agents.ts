import type { AgentHub } from "../../agents/hub.ts";
import type { Holdings } from "../../cluster/holdings.ts";
import type { Reading } from "../../cluster/queries.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";

/** The maximum number of agents sent on at the same time, so that they do not reach the other processes all at once. */
const SENT_AT_ONCE = 8;
/**
 * How many times a drained process sends the same agent to the other processes. After that a returning agent stays, because a proxy may
 * always choose this process for the agent.
 */
const TRIES = 3;

interface SentAgentsServices {
  /** Returns the hub, which is made later. */
  hub(): Pick<AgentHub, "here" | "sendOn" | "leaveToOthers">;
  holdings: Pick<Holdings, "giveAway">;
  log: Log;
  self: string;
}

/** Sends the agents of a leaving or drained process to other processes, each agent after the running work at its registers. */
export class SentAgents {
  readonly #services: SentAgentsServices;
  readonly #tries = new Map<string, number>();
  #sending: Promise<void> = Promise.resolve();
  #isSending = false;
  #leaving = false;

  constructor(services: SentAgentsServices) {
    this.#services = services;
  }

  /**
   * Begins to send the agents on when a reading shows that this process is drained and another process takes agents. Does not wait for the
   * end.
   */
  follow(reading: Reading): void {
    const { self, hub } = this.#services;
    const isDrained = reading.processes.some(({ id, draining }) => id === self && draining);
    if (!isDrained || this.#leaving || this.#isSending) return;
    if (!reading.processes.some(({ id }) => id !== self && isOpenIn(reading, id))) return;
    const due = hub().here.filter((agent) => (this.#tries.get(agent) ?? 0) < TRIES);
    for (const agent of due) this.#tries.set(agent, (this.#tries.get(agent) ?? 0) + 1);
    if (due.length > 0) this.#sending = this.#send(due);
  }

  /** Sends all agents on and accepts no further agents. Never rejects. */
  async leave(): Promise<void> {
    const { hub } = this.#services;
    this.#leaving = true;
    hub().leaveToOthers();
    await this.#sending;
    await this.#send(hub().here);
  }

  async #send(agents: readonly string[]): Promise<void> {
    const { hub, holdings, log } = this.#services;
    this.#isSending = true;
    const left = [...agents];
    const worker = async () => {
      for (let agent = left.pop(); agent !== undefined; agent = left.pop()) {
        const rest = (registers: readonly string[]) => Promise.all(registers.map((register) => holdings.giveAway(register)));
        const failed = (error: unknown) => log.error({ agent, error: messageOf(error) }, "an agent could not be sent on in order");
        await hub().sendOn(agent, rest).catch(failed);
      }
    };
    await Promise.all(Array.from({ length: SENT_AT_ONCE }, worker));
    this.#isSending = false;
  }
}

/** True when the process takes registers and agents that other processes give away. */
export function isOpenIn({ processes }: Pick<Reading, "processes">, process: string): boolean {
  return processes.some(({ id, state, draining }) => id === process && state === "serving" && !draining);
}
