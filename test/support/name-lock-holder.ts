/** Locks a name until its input ends: `node name-lock-holder.ts NAME`, prints `held`, or why the name cannot be locked. */
import { systemClock } from "../../src/kernel/clock.ts";
import { messageOf } from "../../src/kernel/failure.ts";
import { lockName } from "../../src/registers/name-lock.ts";

const name = process.argv[2] ?? "";
const lock = await lockName(name, systemClock).catch((error: unknown) => messageOf(error));
process.stdout.write(`${typeof lock === "string" ? lock : "held"}\n`);
if (typeof lock !== "string") process.stdin.on("end", () => void lock.release()).resume();
