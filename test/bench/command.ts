import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs";
import { readArguments } from "../../src/cli/arguments.ts";
import { type Command, type CommandIo, UsageError } from "../../src/cli/command.ts";
import { messageOf } from "../../src/kernel/failure.ts";
import { agentBench } from "./agent.ts";
import { clusterBench } from "./cluster.ts";
import { hostileBench } from "./hostile.ts";
import { lanesBench } from "./lanes.ts";
import { lockedBench } from "./locked.ts";
import { lookUpBench } from "./look-up.ts";
import { loyaltyBench } from "./loyalty.ts";
import { openPaymentsBench } from "./open-payments.ts";
import { pageBench } from "./page.ts";
import { paymentBench } from "./payment.ts";
import { platformBench } from "./platform.ts";
import { platformClientBench, platformRateBench } from "./platform-client.ts";
import { receiptBench } from "./receipt.ts";
import { restartBench } from "./restart.ts";
import type { Part, Row } from "./row.ts";
import { saleBench } from "./sale.ts";
import { serialBench } from "./serial.ts";
import { signatureBench } from "./signature.ts";
import { stateBench } from "./state.ts";
import { stopsBench } from "./stops.ts";
import { underAttackBenches } from "./under-attack.ts";

const PARTS = [
  signatureBench,
  receiptBench,
  saleBench,
  lanesBench,
  ...underAttackBenches,
  hostileBench,
  stopsBench,
  serialBench,
  stateBench,
  paymentBench,
  openPaymentsBench,
  loyaltyBench,
  pageBench,
  restartBench,
  lockedBench,
  platformBench,
  platformClientBench,
  platformRateBench,
  lookUpBench,
  clusterBench,
  agentBench,
];

const USAGE = `Usage: npm run bench -- [options]

Measures the server on this machine, most parts beside a floor: what the same work takes at least. Takes minutes.

  --only PREFIX  only the rows that begin so; the parts are
                 ${PARTS.map(({ prefix }) => prefix).join(" ")}
  --json FILE    the rows for programs
  --help         this text

LOYALTY_BENCH_MEMBERS=10000 tries the rows of loyalty that have a million members with fewer,
PAGE_BENCH_ENTRIES=100000 those of pages and CLUSTER_BENCH_ENTRIES=100000 that of a cluster that have a million entries.
`;

export const benchCommand: Command = {
  name: "bench",
  summary: "measure the server on this machine",
  usage: USAGE,
  run: async (args, io) => bench(optionsOf(args), io),
};

interface Options {
  only: string;
  parts: readonly Part[];
  json?: string;
}

async function bench({ only, parts, json }: Options, { out }: CommandIo): Promise<number> {
  const rows: Row[] = [];
  for (const part of parts) rows.push(...(await part.run((text) => out(`  ${text}`), only)));
  const wanted = rows.filter(({ name }) => name.startsWith(only));
  for (const line of table(wanted)) out(line);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(wanted, undefined, 2)}\n`);
  return 0;
}

function optionsOf(args: string[]): Options {
  const { values } = readArguments({ args, options: { only: { type: "string", default: "" }, json: { type: "string" } } });
  const { only, json } = values;
  const parts = partsFor(only);
  if (parts.length === 0) {
    throw new UsageError(`--only "${only}": no row begins so; the parts are ${PARTS.map(({ prefix }) => prefix).join(" ")}`);
  }
  if (json !== undefined) demandWritable(json);
  return { only, parts, ...(json === undefined ? {} : { json }) };
}

/** Checks this before the minutes of measuring. An existing file is not changed, and a missing one is not made. */
function demandWritable(file: string): void {
  try {
    const isNew = !existsSync(file);
    closeSync(openSync(file, "a"));
    if (isNew) rmSync(file);
  } catch (error) {
    throw new UsageError(`--json ${file} cannot be written: ${messageOf(error)}`);
  }
}

/** All parts whose names begin with the prefix. If there are none, the part with the longest name that is a beginning of the prefix. */
function partsFor(only: string): Part[] {
  const whole = PARTS.filter(({ prefix }) => prefix.startsWith(only));
  if (whole.length > 0) return whole;
  const holding = PARTS.filter(({ prefix }) => only.startsWith(prefix)).sort((a, b) => b.prefix.length - a.prefix.length);
  return holding.slice(0, 1);
}

function table(rows: readonly Row[]): string[] {
  const cells = rows.map(({ name, value, unit, floor, ratio }) => [name, String(value), unit, String(floor ?? ""), String(ratio ?? "")]);
  const all = [["name", "value", "unit", "floor", "ratio"], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
