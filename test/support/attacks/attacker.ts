import { constants, getPriority, setPriority } from "node:os";
import { pause, systemClock } from "../../../src/kernel/clock.ts";
import { type AttackTarget, attack } from "./attack.ts";
import { ATTACKS } from "./table.ts";

/** A line of numbers so often, so that whoever started the attack sees that it goes on. */
const REPORT_MS = 250;
/** Steps of the system's scale of priorities. */
const NICER = 5;

// An attacker has machines of its own: on this one the server comes first.
setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER));

const [name = "", target = ""] = process.argv.slice(2);
const chosen = ATTACKS.find((each) => each.name === name);
if (chosen === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`);
const count = attack(chosen, JSON.parse(target) as AttackTarget);
for (;;) {
  await pause(systemClock, REPORT_MS);
  process.stdout.write(`${JSON.stringify(count)}\n`);
}
