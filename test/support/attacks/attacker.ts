import { constants, getPriority, setPriority } from "node:os";
import { pause, systemClock } from "../../../src/kernel/clock.ts";
import { type AttackTarget, attack } from "./attack.ts";
import { ATTACKS } from "./table.ts";

/** The interval of the lines with counts. They show the starter of the attack that it goes on. */
const REPORT_MS = 250;
/** By how many steps the attacker lowers its priority. */
const NICER = 5;

// A real attacker has machines of its own. On this machine the server must come first.
setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER));

const [name = "", target = ""] = process.argv.slice(2);
const chosen = ATTACKS.find((each) => each.name === name);
if (chosen === undefined) throw new Error(`there is no attack ${JSON.stringify(name)}`);
const count = attack(chosen, JSON.parse(target) as AttackTarget);
for (;;) {
  await pause(systemClock, REPORT_MS);
  process.stdout.write(`${JSON.stringify(count)}\n`);
}
