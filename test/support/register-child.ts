import { writeSync } from "node:fs";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { receiptDocument, shiftDocument } from "./register-documents.ts";

/**
 * A process that a test kills: `register-child.ts DATA_DIR ADDRESS`. It sells without end, and writes a line with
 * number and sign of each document that was acknowledged.
 */
const [dataDir = "", address = ""] = process.argv.slice(2);
const parsed = parseAddress(address);
if (parsed.kind === "invalid") throw new Error(parsed.problem);
const register = parsed.address.open({ clock: systemClock, chance: systemChance, dataDir, zone: () => "Europe/Moscow", note() {} });
const soon = () => deadlineIn(systemClock, 10_000);

const state = await register.inspect(soon());
if (state.kind !== "reached") throw new Error(state.reason);
if (state.value.shift.kind === "closed") await register.perform(shiftDocument("open-shift"), soon());
for (;;) {
  const outcome = await register.perform(receiptDocument(), soon());
  if (outcome.kind !== "done" || outcome.facts.kind !== "fiscal") throw new Error(JSON.stringify(outcome));
  writeSync(1, `${outcome.facts.documentNumber} ${outcome.facts.fiscalSign}\n`);
}
