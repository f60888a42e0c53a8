import type { AgentDesk } from "../../agents/desk.ts";
import type { Enrolment } from "../../agents/enrolment.ts";

export interface AgentsPart {
  /** The address that agents dial. */
  url: string;
  list: AgentDesk["list"];
  accept: AgentDesk["accept"];
  revoke: AgentDesk["revoke"];
  issue: Enrolment["issue"];
}

/** A new code. It is shown once. */
export interface MadeCode {
  name: string;
  code: string;
  server: string;
  expiresAtMs: number;
}
