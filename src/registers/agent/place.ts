export interface AgentPlace {
  agent: string;
  register: string;
  /** The canonical spelling: `/REGISTER` is left out when the register is `main`. */
  text: string;
}

/** The name of the register when the address names only the agent. */
const MAIN = "main";
const PLACE = /^([a-z0-9-]{1,40})(?:\/([a-z0-9-]{1,40}))?$/;

/** Parses `NAME` or `NAME/REGISTER`. Undefined: the text is neither. */
export function placeOf(text: string): AgentPlace | undefined {
  const [, agent, register = MAIN] = PLACE.exec(text) ?? [];
  if (agent === undefined) return undefined;
  return { agent, register, text: register === MAIN ? agent : `${agent}/${register}` };
}
