import { MAIN_REGISTER } from "./agent.ts";

/** Returns the canonical address of a register behind an agent. */
export function registerAddress(name: string, register: string): string {
  return register === MAIN_REGISTER ? `agent:${name}` : `agent:${name}/${register}`;
}

/** Returns the agent and the register of `NAME[/REGISTER]`. */
export function placeIn(text: string): { name: string; register: string } {
  const [name = "", register = MAIN_REGISTER] = text.split("/");
  return { name, register };
}
