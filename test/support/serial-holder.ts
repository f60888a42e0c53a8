/** Holds a serial port until its input ends: `node serial-holder.ts PATH`, prints `held`, or why the port cannot be opened. */
import { systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";

const link = new SerialLink({ path: process.argv[2] ?? "", baud: 115_200 }, systemClock);
const opened = await link.open(deadlineIn(systemClock, 5_000));
process.stdout.write(`${opened.kind === "open" ? "held" : opened.reason}\n`);
process.stdin.on("end", () => void link.close());
process.stdin.resume();
