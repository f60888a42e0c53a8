import { resolve } from "node:path";
import type { CommandIo } from "../../../src/cli/command.ts";
import { missingProgram } from "../../support/missing-program.ts";
import { reportOf, runFleet } from "./run-fleet.ts";

const MAIN = new URL("../../../src/main.ts", import.meta.url).pathname;

/** `npm run simulate -- --part cluster --minutes N [--update-from DIR] [--standby]`. Returns the exit code. */
export async function playFleet(
  choice: { minutes: number; seed: number; updateFrom?: string; standby: boolean },
  io: CommandIo,
): Promise<number> {
  const missing = missingProgram("haproxy");
  if (missing !== undefined) {
    io.err(`--minutes needs HAProxy${missing}`);
    return 1;
  }
  const { minutes, seed, updateFrom, standby } = choice;
  const versions = updateFrom === undefined ? [] : [resolve(updateFrom, "src/main.ts"), MAIN];
  const { ok, lines } = reportOf(await runFleet({ minutes, seed, versions, standby }), seed);
  for (const line of lines) io.out(line);
  return ok ? 0 : 1;
}
