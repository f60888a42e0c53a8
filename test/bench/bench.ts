import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { hostileBench } from "./hostile.ts";
import { lanesBench } from "./lanes.ts";
import { lookUpBench } from "./look-up.ts";
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
import { underAttackBench } from "./under-attack.ts";

const PARTS = [
  signatureBench,
  receiptBench,
  saleBench,
  lanesBench,
  underAttackBench,
  hostileBench,
  stopsBench,
  serialBench,
  stateBench,
  restartBench,
  platformBench,
  platformClientBench,
  platformRateBench,
  lookUpBench,
];

/** `npm run bench -- [--only PREFIX] [--json FILE]` */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" }, json: { type: "string" } } });
  const chosen = partsFor(values.only);
  if (chosen.length === 0) {
    process.stderr.write(`--only "${values.only}": no row begins so; the parts are ${PARTS.map(({ prefix }) => prefix).join(" ")}\n`);
    process.exitCode = 2;
    return;
  }
  const rows: Row[] = [];
  for (const part of chosen) rows.push(...(await part.run((text) => say(`  ${text}`), values.only)));
  const wanted = rows.filter(({ name }) => name.startsWith(values.only));
  for (const line of table(wanted)) say(line);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(wanted, undefined, 2)}\n`);
}

/** The parts that the prefix takes in whole; else the one, of narrowest name, that has its rows. */
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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
