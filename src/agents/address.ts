import { MAIN_REGISTER } from "./agent.ts";

/** Returns the canonical address of a register behind an agent. */
export function registerAddress(name: string, register: string): string {
  return register === MAIN_REGISTER ? `agent:${name}` : `agent:${name}/${register}`;
}

/** Returns the name of the agent in an address. Undefined: the register is not behind an agent. */
export function agentIn(canonical: string): string | undefined {
  return /^agent:([a-z0-9-]+)(?:[/?]|$)/.exec(canonical)?.[1];
}
