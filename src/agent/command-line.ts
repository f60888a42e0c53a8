import { type ParseArgsConfig, parseArgs } from "node:util";
import { repeatedOption } from "../kernel/arguments/repeated-option.ts";
import { Failure } from "../kernel/failure.ts";
import { visible } from "../kernel/visible.ts";
import { agentFailure } from "./failures.ts";

export interface AgentIo {
  out(text: string): void;
  err(text: string): void;
  signal: AbortSignal;
}

export interface AgentCommand {
  name: string;
  run(args: string[], io: AgentIo): Promise<number>;
}

export const AGENT_USAGE = `Usage: npm run cli -- agent COMMAND [options]     (in the shop: node src/agent.ts COMMAND [options])

The program in the shop: it dials out to the server and drives the shop's registers for it.

  enrol --server URL --code CODE [--data DIR] [--ca FILE] [--plain]
                        makes the agent's key and has the server admit it; the code comes from \`agents enrol\`
  run [--data DIR] [--register NAME=ADDRESS]... [--ca FILE] [--plain]
                        works until SIGTERM; registers are those of DIR/agent.json, --register wins
  status [--data DIR] [--json]
                        whether it is connected, and what it has of attempts and registers
  doctor [--data DIR] [--register NAME=ADDRESS]... [--ca FILE] [--plain] [--json]
                        examines the way to the server and each register; changes nothing
  record list [--data DIR] [--lines N] [--json]
  record show ATTEMPT [--data DIR] [--json]
                        the attempts that it keeps
  install [--print] [--user NAME] [--data DIR] [--ca FILE] [--plain]
                        makes a service of it: a systemd unit on Linux, a service definition on Windows
  uninstall             removes the service; the data folder stays

  --data DIR            its folder (default AGENT_DATA, else ./agent-data)
  --ca FILE             certificates of authorities, PEM, instead of those that Node knows
  --plain               permits a connection without TLS to another machine, for tests; never in production

Environment: AGENT_DATA, HTTPS_PROXY, LOG_LEVEL. Exit code: 0 well, 1 not, 2 wrong options. The guide: src/agent/README.md.
`;

/**
 * Runs the command that the arguments name. Returns the exit code. A `Failure` becomes its message on standard error; any other error is
 * thrown.
 */
export async function runAgentCommand(commands: readonly AgentCommand[], args: string[], terminal: AgentIo): Promise<number> {
  const io: AgentIo = { ...terminal, out: (text) => terminal.out(visible(text)), err: (text) => terminal.err(visible(text)) };
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "help" || rest.includes("--help")) {
    io.out(AGENT_USAGE.trimEnd());
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    io.err(`the agent has no command "${name}"; known are ${commands.map((one) => one.name).join(", ")}`);
    return 2;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.err(error.message);
    return error.code === "configuration" ? 2 : 1;
  }
}

/** Parses a command's arguments. Throws a one-line `Failure` that names the wrong option or argument. */
export function readAgentArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    const repeated = repeatedOption(config);
    if (repeated !== undefined) throw wrongOption(`--${repeated} is given twice, and takes one value`);
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongOption(wordsFor(error));
  }
}

function wordsFor(error: TypeError): string {
  const words = error.message.split(/\. |\n/)[0] ?? error.message;
  const surplus = /^Unexpected argument '(.*)'$/.exec(words)?.[1];
  return surplus === undefined ? words : `"${surplus}" is too much: only options are taken`;
}

export function wrongOption(words: string): Failure {
  return agentFailure("configuration", "caller", words);
}
