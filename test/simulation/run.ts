import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

/** `npm run simulate -- --seeds N --seed FIRST`: prints the failing seed and ends with 1. */
const { values } = parseArgs({ options: { seeds: { type: "string", default: "100" }, seed: { type: "string", default: "1" } } });
const first = Number(values.seed);
const count = Number(values.seeds);

let deaths = 0;
let byHand = 0;
let failed = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const result = await simulate(seed);
  deaths += result.deaths;
  byHand += result.byHand;
  if (result.broken !== undefined) {
    failed += 1;
    process.stdout.write(`seed ${seed}: ${result.broken}\n`);
  }
}
process.stdout.write(`${count} seeds from ${first}, ${deaths} deaths, ${byHand} doubts settled by hand, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
