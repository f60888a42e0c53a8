import type { AgentCommand } from "../command-line.ts";
import { enrolCommand } from "./enrol.ts";
import { runAgent } from "./run.ts";

export const AGENT_COMMANDS: readonly AgentCommand[] = [enrolCommand, runAgent];
