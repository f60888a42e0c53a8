import { AGENT_USAGE, runAgentCommand } from "../agent/command-line.ts";
import { AGENT_COMMANDS } from "../agent/commands/list.ts";
import { nextTurn } from "../kernel/clock.ts";
import { aborted } from "./aborted.ts";
import type { Command } from "./command.ts";

/** The exit code after SIGINT or SIGTERM. A shell reports the end by SIGTERM with this code. */
const ENDED_BY_SIGNAL = 143;

/** The commands of `src/agent.ts`. */
export const agentCommand: Command = {
  name: "agent",
  summary: "the program in a shop that drives its registers for a distant server",
  usage: AGENT_USAGE,
  async run(args, io) {
    const running = runAgentCommand(AGENT_COMMANDS, args, io);
    if (args[0] === "run") return running;
    // A problem of the arguments is printed even if the signal came first.
    const ended = nextTurn().then(() => aborted(io.signal));
    return (await Promise.race([running, ended])) ?? ENDED_BY_SIGNAL;
  },
};
