import type { ClusterOverview, ProcessShown, RegisterShown } from "../cluster/overview.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, lineByLine, UsageError, withTools } from "./command.ts";
import { instant, tableOf } from "./journal/rows.ts";
import { atMost, given } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- cluster list [--json]
       npm run cli -- cluster registers [--holder PROCESS] [--json]
       npm run cli -- cluster move REGISTER PROCESS [--json]
       npm run cli -- cluster drain PROCESS [--json]

The servers that share one PostgreSQL database, and which of them has which register. They may run meanwhile.

  PROCESS    the id of a process, the beginning of its id, or its CLUSTER_URL
  REGISTER   the address of a register, as \`registers\` shows it
  list       the processes, the oldest first; a lost one is shown for an hour
  registers  every register that was ever used, who holds it and how many operations wait for it
  move       gives a register to another process, after its running work
  drain      gives all registers of a process to the others; the process stays up, and takes none until it is started again

Options:
  --holder PROCESS   only the registers of this process
  --json             for programs
`;

export interface ClusterTools {
  overview: ClusterOverview;
  close(): Promise<void>;
}

/** `open` opens the database that the configuration names. */
export function clusterCommand(open: () => Promise<ClusterTools>): Command {
  return {
    name: "cluster",
    summary: "list the servers on one database and their registers, move registers",
    usage: USAGE,
    async run(args, io) {
      const work = workOf(args);
      return withTools(open, ({ overview }) => work(overview, lineByLine(io)));
    },
  };
}

type Work = (overview: ClusterOverview, io: CommandIo) => Promise<number>;

const OPTIONS = { holder: { type: "string" }, json: { type: "boolean", default: false } } as const;

function workOf(args: string[]): Work {
  const { values, positionals } = readArguments({ args, options: OPTIONS, allowPositionals: true });
  const { holder, json } = values;
  const [action, ...words] = positionals;
  if (holder !== undefined && action !== "registers") throw new UsageError("--holder is an option of `cluster registers` alone");
  switch (action) {
    case "list":
      atMost(words, 0, "`cluster list` with options alone");
      return (overview, io) => list(overview, json, io);
    case "registers":
      atMost(words, 0, "`cluster registers` with options alone");
      return registers(holder, json);
    case "move": {
      const [register, process] = [words[0], words[1]];
      if (register === undefined || process === undefined) throw new UsageError("move needs a REGISTER and a PROCESS");
      atMost(words, 2, "`cluster move REGISTER PROCESS`");
      return onProcess(given("PROCESS", process, "a process"), (overview, found, io) => move(overview, register, found, json, io));
    }
    case "drain": {
      const [process] = words;
      if (process === undefined) throw new UsageError("drain needs a PROCESS");
      atMost(words, 1, "`cluster drain PROCESS`");
      return onProcess(given("PROCESS", process, "a process"), (overview, found, io) => drain(overview, found, json, io));
    }
    default:
      throw new UsageError(`expected one of cluster list, registers, move, drain${action === undefined ? "" : `, not "${action}"`}`);
  }
}

async function list(overview: ClusterOverview, json: boolean, io: CommandIo): Promise<number> {
  const found = await overview.processes();
  if (json) io.out(JSON.stringify(found.map(processJson)));
  else if (found.length === 0) io.out("No process shares this database.");
  else
    for (const line of tableOf([
      ["PROCESS", "STATE", "REGISTERS", "SEEN (UTC)", "SINCE (UTC)", "VERSION", "URL"],
      ...found.map(processRow),
    ]))
      io.out(line);
  return 0;
}

function processRow({ id, url, version, sinceMs, seenMs, state, registers: held }: ProcessShown): string[] {
  return [id, state, String(held), instant(seenMs), instant(sinceMs), version, url];
}

function processJson({ id, url, version, sinceMs, seenMs, state, registers: held }: ProcessShown): object {
  return { id, url, version, since: isoOf(sinceMs), seen: isoOf(seenMs), state, registers: held };
}

function registers(holder: string | undefined, json: boolean): Work {
  const show = async (overview: ClusterOverview, io: CommandIo, id?: string) => {
    const found = await overview.registers(id);
    if (json) io.out(JSON.stringify(found.map(registerJson)));
    else if (found.length === 0) io.out("There are no such registers.");
    else for (const line of tableOf([["REGISTER", "HOLDER", "WAITING", "SINCE (UTC)", "TOKEN"], ...found.map(registerRow)])) io.out(line);
    return 0;
  };
  if (holder === undefined) return (overview, io) => show(overview, io);
  return onProcess(given("--holder", holder, "a process"), (overview, { id }, io) => show(overview, io, id));
}

function registerRow({ register, holder, token, sinceMs, waiting }: RegisterShown): string[] {
  return [register, holder ?? "", String(waiting), sinceMs === undefined ? "" : instant(sinceMs), String(token)];
}

function registerJson({ register, holder, token, sinceMs, waiting }: RegisterShown): object {
  const held = { ...(holder === undefined ? {} : { holder }), ...(sinceMs === undefined ? {} : { since: isoOf(sinceMs) }) };
  return { register, ...held, token, waiting };
}

async function move(overview: ClusterOverview, register: string, process: ProcessShown, json: boolean, io: CommandIo): Promise<number> {
  const moved = await overview.move(register, process);
  if (json) {
    const { kind } = moved;
    io.out(JSON.stringify(moved.kind === "moved" ? registerJson(moved.register) : { problem: kind }));
    return kind === "moved" ? 0 : 1;
  }
  switch (moved.kind) {
    case "moved":
      io.out(`${register} is at ${process.id} now.`);
      return 0;
    case "unknown-register":
      io.err(`no process has ever used ${register}: \`cluster registers\` lists the addresses`);
      return 1;
    case "not-open":
      io.err(`the process ${process.id} takes no registers: it is ${moved.state}`);
      return 1;
    case "at-agent":
      io.err(`${register} stays at ${moved.process}: its agent is connected there`);
      return 1;
    case "late":
      io.err(`${register} is still at work elsewhere; it goes to ${process.id} when that has ended`);
      return 1;
  }
}

async function drain(overview: ClusterOverview, process: ProcessShown, json: boolean, io: CommandIo): Promise<number> {
  const { left, ofAgents } = await overview.drain(process);
  if (json) io.out(JSON.stringify({ id: process.id, registers: left }));
  else if (left === 0) io.out(`${process.id} has no registers now.`);
  else if (ofAgents === left) io.err(`${process.id} still has ${left} registers of agents that are connected to it`);
  else io.err(`${process.id} still has ${left} registers: they are at work, or no other process takes them`);
  return left === 0 ? 0 : 1;
}

function onProcess(text: string, work: (overview: ClusterOverview, process: ProcessShown, io: CommandIo) => Promise<number>): Work {
  return async (overview, io) => {
    const found = await overview.named(text);
    const [process] = found;
    if (process !== undefined && found.length === 1) return work(overview, process, io);
    io.err(
      process === undefined ? `no process is named "${text}": \`cluster list\` shows them` : `"${text}" names ${found.length} processes`,
    );
    return 1;
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
