import { statSync } from "node:fs";
import { type AgentCommand, readAgentArguments } from "../command-line.ts";
import { identityIn, isHeld, registersIn, statusIn } from "../folder/data-folder.ts";
import type { StoredStatus } from "../folder/stored-schema.ts";
import { RecordReader } from "../record.ts";
import { PLACE_OPTIONS, type Place, placeOf } from "./options.ts";

/**
 * Shows whether the agent is connected, and its attempts and registers. Works also when the agent is not running. Throws a `Failure` when
 * the agent is not enrolled, or a file of the data folder cannot be read.
 */
export const statusCommand: AgentCommand = {
  name: "status",
  async run(args, io) {
    const { values } = readAgentArguments({ args, options: { ...PLACE_OPTIONS, json: { type: "boolean", default: false } } });
    const status = statusOf(placeOf(values));
    if (values.json) io.out(JSON.stringify(status, undefined, 2));
    else for (const line of linesOf(status)) io.out(line);
    return 0;
  },
};

type AgentStatus = ReturnType<typeof statusOf>;

function statusOf({ folder }: Place) {
  const { agent, name, server } = identityIn(folder);
  const stored = statusIn(folder);
  const running = isHeld(folder);
  const record = recordOf(folder.record);
  const listed: StoredStatus["registers"] = Object.entries(registersIn(folder)).map(([register, address]) => ({
    name: register,
    scheme: address.slice(0, address.indexOf(":")),
    state: "not-seen",
  }));
  return {
    agent,
    name,
    server,
    running,
    connected: running && stored?.connected === true,
    // A killed agent leaves its last status behind. So the stored states and times count only while an agent runs.
    since: running ? (stored?.since ?? null) : null,
    epoch: record.epoch,
    attempts: { unsettled: record.unsettled, kept: record.kept },
    registers: running ? (stored?.registers ?? listed) : (stored?.registers ?? listed).map((each) => ({ ...each, state: "not-seen" })),
    ...(stored?.lastProblem === undefined ? {} : { lastProblem: stored.lastProblem, lastProblemAt: stored.lastProblemAt }),
  };
}

/** An agent that was never started has no record yet. */
function recordOf(file: string): { epoch: number; unsettled: number; kept: number } {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return { epoch: 0, unsettled: 0, kept: 0 };
  return RecordReader.read(file, (record) => ({ epoch: record.epoch, ...record.counts() }));
}

function linesOf({ agent, name, server, running, connected, since, epoch, attempts, registers, ...rest }: AgentStatus): string[] {
  const link = connected ? "connected" : running ? "not connected, and trying" : "not running";
  return [
    `${name} (${agent}) of the server ${server}`,
    `  ${link}${since === null ? "" : ` since ${since}`}, epoch ${epoch}`,
    `  attempts: ${attempts.kept} kept, ${attempts.unsettled} of them not settled by the server`,
    ...registers.map((register) => `  register ${register.name}: ${registerWords(register)}`),
    ...(rest.lastProblem === undefined ? [] : [`  last problem, ${rest.lastProblemAt}: ${rest.lastProblem}`]),
  ];
}

function registerWords({ scheme, state, serialNumber, driveNumber }: AgentStatus["registers"][number]): string {
  const device = serialNumber === undefined ? "" : `, serial number ${serialNumber}, drive ${driveNumber}`;
  return `${scheme}, ${state}${device}`;
}
