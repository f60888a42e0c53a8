import type { AgentCommand } from "../command-line.ts";
import { doctorCommand } from "./doctor.ts";
import { enrolCommand } from "./enrol.ts";
import { installCommand, uninstallCommand } from "./install.ts";
import { recordCommand } from "./record.ts";
import { runAgent } from "./run.ts";
import { statusCommand } from "./status.ts";

export const AGENT_COMMANDS: readonly AgentCommand[] = [
  enrolCommand,
  runAgent,
  statusCommand,
  doctorCommand,
  recordCommand,
  installCommand,
  uninstallCommand,
];
