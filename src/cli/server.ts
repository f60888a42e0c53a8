import { visibleLine } from "../kernel/visible.ts";
import { type Command, UsageError } from "./command.ts";

const USAGE = `Usage: npm start

Starts the server, which ends in order at SIGTERM or Ctrl-C. It takes no arguments: the environment sets everything, and the
file .env where there is one. .env.example lists all variables with their defaults.

  --help  this text

Everything else is a command: npm run cli -- --help
`;

/** The server as a program. It refuses arguments, because a setting given as an option would be ignored. */
export function serverCommand(start: () => Promise<void>): Command {
  return {
    name: "start",
    summary: "the server",
    usage: USAGE,
    async run([surplus]) {
      if (surplus !== undefined)
        throw new UsageError(
          `"${visibleLine(surplus)}" is too much: the server takes no arguments, its environment sets everything (.env.example)`,
        );
      await start();
      return 0;
    },
  };
}
