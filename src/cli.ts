import { COMMANDS } from "./cli/commands.ts";
import { runCommand } from "./cli/run.ts";
import { stopAtSignals } from "./cli/stop-signals.ts";
import { systemClock } from "./kernel/clock.ts";

const stop = new AbortController();
const watched = COMMANDS.find(({ name }) => name === process.argv[2])?.watchesSignal === true;
stopAtSignals({ on: (signal, heard) => process.on(signal, heard), exit: (code) => process.exit(code), clock: systemClock }, stop, watched);

// The reader of standard output may end early (`| head`). A command that watches the signal then ends; any other command runs on. A closed
// standard error is ignored, because the command is still useful.
process.stdout.on("error", () => stop.abort());
process.stderr.on("error", () => {});

process.exitCode = await runCommand(COMMANDS, process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  signal: stop.signal,
});
