import type { Reading } from "./queries.ts";

/** Returns the process with the connection of a register's agent. Undefined: no process, or the register is not behind an agent. */
export function agentPlaceOf(register: string, { agents }: Pick<Reading, "agents">): string | undefined {
  const [, agent] = /^agent:([a-z0-9-]+)/.exec(register) ?? [];
  return agent === undefined ? undefined : agents[agent];
}

/** Returns, by agent, the process with the agent's connection. Omits agents whose process was counted as lost. */
export function placesOfAgents({ agents, processes }: Pick<Reading, "agents" | "processes">): Record<string, string> {
  const living = new Set(processes.filter(({ state }) => state !== "lost").map(({ id }) => id));
  return Object.fromEntries(Object.entries(agents).filter(([, process]) => living.has(process)));
}
