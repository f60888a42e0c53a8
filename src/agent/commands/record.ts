import { type AgentCommand, type AgentIo, readAgentArguments, wrongOption } from "../command-line.ts";
import { agentFailure } from "../failures.ts";
import { isThere } from "../folder/data-folder.ts";
import { RecordReader, type StoredAttempt } from "../record.ts";
import { PLACE_OPTIONS, placeOf } from "./options.ts";

const DEFAULT_LINES = 50;
const MAX_LINES = 100_000;

/** Shows the attempts in the agent's record. The agent may run at the same time. */
export const recordCommand: AgentCommand = {
  name: "record",
  async run(args, io) {
    const options = { ...PLACE_OPTIONS, json: { type: "boolean", default: false }, lines: { type: "string" } } as const;
    const { values, positionals } = readAgentArguments({ args, options, allowPositionals: true });
    const [what, attempt, ...more] = positionals;
    const { folder } = placeOf(values);
    const isList = what === "list" && attempt === undefined;
    const isShow = what === "show" && attempt !== undefined && more.length === 0;
    if (!isList && !isShow) throw wrongOption("expected record list, or record show ATTEMPT");
    const lines = linesOf(values.lines);
    if (!isThere(folder)) throw agentFailure("folder-gone", "caller", `there is no data folder ${folder.path}`);
    if (isShow) {
      const found = RecordReader.read(folder.record, (record) => record.find(attempt));
      return show(found, attempt, values.json, io);
    }
    return list(
      RecordReader.read(folder.record, (record) => record.list(lines)),
      values.json,
      io,
    );
  },
};

function linesOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LINES;
  const lines = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (lines < 1 || lines > MAX_LINES) throw wrongOption(`--lines is a whole number from 1 to ${MAX_LINES}, not "${text}"`);
  return lines;
}

function list(attempts: readonly StoredAttempt[], json: boolean, io: AgentIo): number {
  if (json) io.out(JSON.stringify(attempts, undefined, 2));
  else for (const attempt of attempts) io.out(lineOf(attempt));
  return 0;
}

function show(attempt: StoredAttempt | undefined, id: string, json: boolean, io: AgentIo): number {
  if (attempt === undefined) throw agentFailure("no-attempt", "caller", `the record has no attempt ${id}`);
  if (json) io.out(JSON.stringify(attempt, undefined, 2));
  else {
    io.out(lineOf(attempt));
    io.out(`  hash ${attempt.hash}`);
    if (attempt.outcome !== undefined) io.out(`  ${JSON.stringify(attempt.outcome)}`);
  }
  return 0;
}

function lineOf({ attempt, at, register, state, settled }: StoredAttempt): string {
  return `${at}  ${attempt}  ${register}  ${state}${settled ? ", settled" : ""}`;
}
