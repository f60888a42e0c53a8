import { OPERATOR } from "../../accounts/audit.ts";
import { AGENT_NAME } from "../../agents/agent.ts";
import type { Accepted } from "../../agents/desk.ts";
import { MAX_AGENTS_OF_ACCOUNT } from "../../agents/enrolment.ts";
import { type AgentRequest, type AskedLog, askedLogSchema, MAX_ASKED_LINES } from "../../agents/request-schema.ts";
import { processClock } from "../../app/clock.ts";
import { pause } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { placeOf } from "../../registers/agent/place.ts";
import { installationNamed } from "../account.ts";
import { readArguments } from "../arguments.ts";
import { type Command, type CommandIo, lineByLine, UsageError, withTools } from "../command.ts";
import { atMost, wholeNumber } from "../option-values.ts";
import { acceptedLines, agentLines, listLines } from "./lines.ts";
import { type AgentTools, shownAgents } from "./open.ts";

const USAGE = `Usage: npm run cli -- agents enrol NAME --account ID [--minutes 15] [--replace] [--json]
       npm run cli -- agents list [--json]
       npm run cli -- agents show NAME [--json]
       npm run cli -- agents revoke NAME [--json]
       npm run cli -- agents accept NAME[/REGISTER] [--json]
       npm run cli -- agents accept --all-forked [--json]
       npm run cli -- agents log NAME [--lines N] [--follow] [--json]

Shop agents: processes in shops that dial out to this server and have the registers there. The server may run meanwhile and
looks at what was asked within a second. Without a running server the state is that of its last run.

  enrol    prints a code that enrols one agent, once, within the minutes; --replace: the agent of this name is replaced
  list     all agents and what they are doing; a code that waits for its agent counts as one
  show     everything about one
  revoke   closes its connection and refuses it from now on
  accept   allows another device or drive behind the register (main when none is named), or another copy of the agent: the
           one that was refused and still tries. If no refused copy has tried for a minute and a half, the copy
           that is connected stays the agent. --all-forked: of every agent, after the server's database was restored
  log      the agent's newest log lines; --follow: and those that come, until a signal

Options:
  --account ID   the account whose points of sale may use it; appId/accountId where the account uses several solutions
  --minutes N    how long the code works, 1 to 1440
  --lines N      how many lines, 1 to ${MAX_ASKED_LINES}; 100 without it
  --json         for programs
`;

const DEFAULT_MINUTES = "15";
const MAX_MINUTES = 1_440;
const DEFAULT_LINES = "100";
/** How long a command waits for the running server, which looks for requests every half second. */
const SERVER_LIMIT_MS = 3_000;
/** How long a command waits for a log. The server waits up to five seconds of this time for the agent. */
const LOG_LIMIT_MS = 8_000;
/** How often `--follow` asks for new lines. */
const FOLLOW_MS = 1_000;

const ACTIONS = ["enrol", "list", "show", "revoke", "accept", "log"] as const;
type Action = (typeof ACTIONS)[number];

/** The options of each action. Any other option is refused: ignoring it would mislead the person. */
const OWN: Readonly<Record<Action, readonly string[]>> = {
  enrol: ["account", "minutes", "replace", "json"],
  list: ["json"],
  show: ["json"],
  revoke: ["json"],
  accept: ["all-forked", "json"],
  log: ["lines", "follow", "json"],
};

/** `open` opens the database that the configuration names. */
export function agentsCommand(open: (signal: AbortSignal) => Promise<AgentTools>): Command {
  return {
    name: "agents",
    summary: "enrol, list, accept and revoke shop agents",
    usage: USAGE,
    async run(args, io) {
      const work = workOf(args);
      return withTools(
        () => open(io.signal),
        (tools) => work(tools, io),
      );
    },
  };
}

type Work = (tools: AgentTools, io: CommandIo) => Promise<number>;

function workOf(args: string[]): Work {
  const { values, positionals } = parsed(args);
  const [text, ...words] = positionals;
  const action = actionNamed(text);
  const foreign = Object.entries(values).find(([name, value]) => value !== undefined && value !== false && !OWN[action].includes(name));
  if (foreign !== undefined) {
    const own = OWN[action].map((name) => `--${name}`).join(", ");
    throw new UsageError(`agents ${action} has no option --${foreign[0]}: it takes ${own}`);
  }
  const { json } = values;
  switch (action) {
    case "enrol":
      return enrolling(nameIn(words, "enrol"), values);
    case "list":
      atMost(words, 0, "`agents list` with options alone");
      return (tools, io) => list(tools, io, json);
    case "show": {
      const name = nameIn(words, "show");
      return (tools, io) => show(tools, io, name, json);
    }
    case "revoke": {
      const name = nameIn(words, "revoke");
      return (tools, io) => revoke(tools, io, name, json);
    }
    case "accept":
      return accepting(words, values);
    case "log": {
      const name = nameIn(words, "log");
      const lines = wholeNumber("--lines", values.lines ?? DEFAULT_LINES, 1, MAX_ASKED_LINES);
      return (tools, io) => log(tools, io, { name, lines, follow: values.follow, json });
    }
  }
}

function actionNamed(text: string | undefined): Action {
  const action = ACTIONS.find((known) => known === text);
  if (action !== undefined) return action;
  const found = text === undefined ? "" : `, not "${text}"`;
  throw new UsageError(`expected one of ${ACTIONS.map((name) => `agents ${name}`).join(", ")}${found}`);
}

function enrolling(name: string, { account, minutes: typed, replace, json }: Options): Work {
  if (account === undefined || account === "")
    throw new UsageError("enrol needs --account: the account whose points of sale may use the agent");
  const minutes = wholeNumber("--minutes", typed ?? DEFAULT_MINUTES, 1, MAX_MINUTES);
  return async ({ installations, enrolment, url }, io) => {
    const key = await installationNamed(installations, account);
    const issued = await enrolment.issue({ name, key, minutes, replace, actor: OPERATOR });
    if (issued.kind === "foreign") throw new UsageError(`the name ${name} belongs to another account: take another name`);
    if (issued.kind === "taken") throw new UsageError(`there is an agent ${name} already: with --replace another one takes its place`);
    if (issued.kind === "full") throw new UsageError(`the account has ${MAX_AGENTS_OF_ACCOUNT} agents, which is the most`);
    const { code, expiresAtMs } = issued;
    const printed = { code, name, account: key.accountId, server: url, expiresAt: new Date(expiresAtMs).toISOString() };
    if (json) io.out(JSON.stringify(printed));
    else for (const [what, value] of Object.entries(printed)) io.out(`${what.padEnd(10)} ${value}`);
    return 0;
  };
}

async function list(tools: AgentTools, io: CommandIo, json: boolean): Promise<number> {
  const agents = await shownAgents(tools);
  const lines = lineByLine(io);
  if (json) io.out(JSON.stringify(agents, undefined, 2));
  else if (agents.length === 0) io.out("There are no agents: `agents enrol NAME --account ID` makes a code for one.");
  else for (const line of listLines(agents)) lines.out(line);
  return 0;
}

async function show(tools: AgentTools, io: CommandIo, name: string, json: boolean): Promise<number> {
  const agent = (await shownAgents(tools)).find((each) => each.name === name);
  if (agent === undefined) throw unknown(name);
  const lines = lineByLine(io);
  if (json) io.out(JSON.stringify(agent, undefined, 2));
  else for (const line of agentLines(agent)) lines.out(line);
  return 0;
}

async function revoke(tools: AgentTools, io: CommandIo, name: string, json: boolean): Promise<number> {
  const known = (await asked<boolean>(tools, io, { kind: "revoke", name })) ?? (await tools.desk.revoke(name, OPERATOR));
  if (!known) throw unknown(name);
  io.out(json ? JSON.stringify({ name, state: "revoked" }) : `${name} is revoked`);
  return 0;
}

function accepting(words: readonly string[], values: Options): Work {
  const { json } = values;
  if (values["all-forked"]) {
    atMost(words, 0, "`agents accept --all-forked` without a name");
    return async (tools, io) => {
      const names = (await asked<string[]>(tools, io, { kind: "accept-all-forked" })) ?? (await tools.desk.acceptAllForked(OPERATOR));
      io.out(json ? JSON.stringify({ accepted: names }) : names.length === 0 ? "No agent is forked." : `Accepted: ${names.join(", ")}`);
      return 0;
    };
  }
  const [text] = words;
  atMost(words, 1, "one NAME or NAME/REGISTER");
  const place = text === undefined ? undefined : placeOf(text);
  if (place === undefined) throw new UsageError("accept needs NAME or NAME/REGISTER, or --all-forked");
  const wanted = { name: place.agent, register: place.register };
  return async (tools, io) => {
    const accepted = (await asked<Accepted>(tools, io, { kind: "accept", place: wanted })) ?? (await tools.desk.accept(wanted, OPERATOR));
    if (accepted.kind === "unknown") throw unknown(wanted.name);
    if (json) io.out(JSON.stringify({ name: wanted.name, register: wanted.register, ...accepted }));
    else for (const line of acceptedLines(wanted, accepted)) io.out(line);
    return accepted.kind === "accepted" ? 0 : 1;
  };
}

async function log(
  tools: AgentTools,
  io: CommandIo,
  { name, lines, follow, json }: { name: string; lines: number; follow: boolean; json: boolean },
): Promise<number> {
  const clock = processClock();
  const out = (line: string) => (json ? io.out(JSON.stringify({ line })) : lineByLine(io).out(line));
  let known = await askedLog(tools, { kind: "log", name, lines });
  for (const line of known.lines) out(line);
  while (follow && !io.signal.aborted) {
    await pause(clock, FOLLOW_MS, io.signal);
    if (io.signal.aborted) break;
    known = await askedLog(tools, { kind: "log", name, lines: MAX_ASKED_LINES, after: known.newest });
    for (const line of known.lines) out(line);
  }
  return 0;
}

async function askedLog(tools: AgentTools, request: Extract<AgentRequest, { kind: "log" }>): Promise<Extract<AskedLog, { kind: "lines" }>> {
  const answer = await tools.ask(request, deadlineIn(processClock(), LOG_LIMIT_MS));
  if (answer === undefined)
    throw new Failure("agents", "dependency", "no running server has answered: an agent's log comes from the server");
  if (answer.kind === "failed") throw new Failure("agents", "dependency", answer.reason);
  const read = askedLogSchema.parse(answer.result);
  if (read.kind === "unknown") throw unknown(request.name);
  return read;
}

/**
 * Asks the running server. Undefined: no running server answered before the time limit. Throws a `Failure` when the server could not do
 * what was asked. Also throws when the signal came first: the person has taken the order back, so the command must not carry it out itself.
 * The result is not parsed: both processes have the same version, because each accepts only its own version of the database.
 */
async function asked<Result>(tools: AgentTools, { signal }: CommandIo, request: AgentRequest): Promise<Result | undefined> {
  const answer = await tools.ask(request, deadlineIn(processClock(), SERVER_LIMIT_MS));
  if (answer?.kind === "failed") throw new Failure("agents", "dependency", answer.reason);
  if (answer === undefined && signal.aborted) {
    const words = "a signal came before the running server has answered; a server that had begun may still do it: see `agents list`";
    throw new Failure("agents", "dependency", words);
  }
  return answer?.result as Result | undefined;
}

function nameIn(words: readonly string[], action: Action): string {
  const [name] = words;
  atMost(words, 1, `\`agents ${action} NAME\``);
  if (name === undefined || !AGENT_NAME.test(name)) {
    throw new UsageError(`${action} needs the NAME of an agent, 1 to 40 of a-z, 0-9 and "-"${name === undefined ? "" : `, not "${name}"`}`);
  }
  return name;
}

function unknown(name: string): UsageError {
  return new UsageError(`there is no agent ${name}: see \`agents list\``);
}

type Options = ReturnType<typeof parsed>["values"];

function parsed(args: string[]) {
  return readArguments({
    args,
    allowPositionals: true,
    options: {
      account: { type: "string" },
      minutes: { type: "string" },
      replace: { type: "boolean", default: false },
      "all-forked": { type: "boolean", default: false },
      lines: { type: "string" },
      follow: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
}
