import { readProgramme } from "../../loyalty/programme/read-programme.ts";
import { compareProgrammes } from "../../operator/loyalty/compare-programmes.ts";
import { setProgramme, wholeFile } from "../../operator/loyalty/set-programme.ts";
import { programmeInForce, type Tried, tryReceipt } from "../../operator/loyalty/try-receipt.ts";
import { lineByLine, UsageError } from "../command.ts";
import { readInput } from "../input-file.ts";
import { ACTOR, type Called } from "./people.ts";
import { readReceipts, triedJson } from "./receipts.ts";
import { comparisonLines, triedLines } from "./tables.ts";
import { toldText } from "./telling.ts";

/** The largest file of receipts: a shop's receipts of a month. */
const MAX_RECEIPTS_BYTES = 256 * 1024 * 1024;

/** Prints the programme in force as a file with all fields, for changing and setting it. */
export async function showProgramme({ desk, key, io }: Called): Promise<number> {
  const { version } = await programmeInForce(desk, key);
  io.out(JSON.stringify(wholeFile(await desk.programmes.text(key)), undefined, 2));
  io.err(version === 0 ? "No programme was set: the default one is in force" : `Version ${version}`);
  return 0;
}

/** Sets the programme of a file. Exit code 1: the file is refused. */
export async function changeProgramme({ desk, key, json, io }: Called, file: string): Promise<number> {
  const set = await setProgramme(desk, { key, actor: ACTOR }, await contentOf(file));
  if (set.kind === "refused") {
    if (json) io.out(JSON.stringify({ outcome: "refused", place: set.place, reason: set.reason }, undefined, 2));
    else io.err(refusalText(set));
    return 1;
  }
  if (json) io.out(JSON.stringify({ outcome: "set", version: set.version }, undefined, 2));
  else {
    io.out(`The programme is in force as version ${set.version}`);
    if (set.told.kind !== "not-wanted") (set.told.kind === "failed" ? io.err : io.out)(toldText(set.told));
  }
  return 0;
}

/**
 * Tries the receipts of a file with the programme in force. `against`: the file of another programme, which is compared with the
 * programme in force. Exit code 1: the content of a file is wrong.
 */
export async function tryReceipts(called: Called, file: string, against: string | undefined): Promise<number> {
  const { desk, key, json, io } = called;
  const read = readReceipts({ key, service: "on" }, await contentOf(file, MAX_RECEIPTS_BYTES));
  if (read.kind === "wrong") {
    io.err(`${file}: line ${read.line} ${read.problem}`);
    return 1;
  }
  const { receipts } = read;
  const { programme } = await programmeInForce(desk, key);
  if (against !== undefined)
    return compare(
      called,
      receipts.map(({ call }) => call),
      programme,
      against,
    );
  const tried: Tried[] = [];
  for (const { call } of receipts) tried.push(await tryReceipt(desk, call, programme));
  if (json) io.out(triedJson(receipts, tried, receipts.length > 1));
  else
    for (const [index, { call }] of receipts.entries()) {
      const one = tried[index];
      if (receipts.length > 1) io.out(`${index === 0 ? "" : "\n"}Receipt ${index + 1}`);
      if (one !== undefined) for (const line of triedLines(call, one)) lineByLine(io).out(line);
    }
  return 0;
}

async function compare(
  { desk, json, io }: Called,
  calls: Parameters<typeof compareProgrammes>[1],
  now: Parameters<typeof compareProgrammes>[2]["now"],
  file: string,
): Promise<number> {
  const other = readProgramme(await contentOf(file), { hasChannel: true });
  if (other.kind === "refused") {
    io.err(refusalText(other));
    return 1;
  }
  const comparison = await compareProgrammes(desk, calls, { now, against: other.programme });
  if (json) {
    const different = comparison.different.map(({ receipt, ...sums }) => ({ receipt: receipt + 1, ...sums }));
    io.out(JSON.stringify({ ...comparison, different }, undefined, 2));
  } else for (const line of comparisonLines(comparison)) lineByLine(io).out(line);
  return 0;
}

function refusalText({ place, reason }: { place: string; reason: string }): string {
  return `The programme is refused: ${place === "" ? "the file" : place} ${reason}`;
}

/** Reads a file that the command names. Throws a `UsageError` when it cannot be read. */
export async function contentOf(file: string, most?: number): Promise<string> {
  try {
    return await readInput(file, most);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${file}: ${error.message}`);
    if (error instanceof Error && "code" in error) throw new UsageError(`${file} cannot be read: ${String(error.code)}`);
    throw error;
  }
}
