import { MAIN_REGISTER } from "./agent.ts";

/** Returns the canonical address of a register behind an agent. */
export function registerAddress(name: string, register: string): string {
  return register === MAIN_REGISTER ? `agent:${name}` : `agent:${name}/${register}`;
}

/** Returns the agent's name in an address. Undefined: the register is not behind an agent. */
export function agentIn(address: string): string | undefined {
  return agentPlaceIn(address)?.name;
}

/** Returns the agent and the register in an address. Options may follow the address. Undefined: the register is not behind an agent. */
export function agentPlaceIn(address: string): { name: string; register: string } | undefined {
  const [, name, register = MAIN_REGISTER] = /^agent:([a-z0-9-]+)(?:\/([a-z0-9-]+))?(?:\?|$)/.exec(address) ?? [];
  return name === undefined ? undefined : { name, register };
}
