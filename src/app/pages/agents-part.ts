import type { AgentsPart } from "../../web/agents/agents-part.ts";
import type { AgentParts } from "../agents/agents.ts";

/** `url`: the address that agents dial. */
export function agentsPart({ desk, enrolment }: Pick<AgentParts, "desk" | "enrolment">, url: string): AgentsPart {
  return {
    url,
    list: (key) => desk.list(key),
    accept: (place, actor) => desk.accept(place, actor),
    revoke: (name, actor) => desk.revoke(name, actor),
    issue: (wanted) => enrolment.issue(wanted),
  };
}
