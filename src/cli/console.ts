import { systemChance } from "../kernel/clock.ts";
import { readAtMost } from "../kernel/files/bounded-read.ts";
import { Secret } from "../kernel/secret.ts";
import { hashPassword } from "../security/password.ts";
import { readArguments } from "./arguments.ts";
import { type Command, UsageError } from "./command.ts";

const USAGE = `Usage: npm run -s cli -- console hash < PASSWORD

Reads a password from standard input and prints its hash for CONSOLE_USERS, which names who may open the operator's console:

  CONSOLE_USERS='[{"login":"anna","password":"scrypt$…"}]'

The password has 12 characters or more. A line break at its end does not count.
`;

const LEAST_LENGTH = 12;
const MOST_LENGTH = 1_024;

/** The maximum number of bytes of a password and its line break: a character has at most four. */
const MOST_BYTES = 4 * MOST_LENGTH + 2;

/** Returns the text on standard input. A text longer than any password counts as empty. */
async function standardInput(): Promise<string> {
  return (await readAtMost(process.stdin, MOST_BYTES))?.toString("utf8") ?? "";
}

/** `read` returns the text on standard input. */
export function consoleCommand(read: () => Promise<string> = standardInput): Command {
  return {
    name: "console",
    summary: "print the hash of a password for the operator's console",
    usage: USAGE,
    async run(args, io) {
      const { positionals } = readArguments({ args, allowPositionals: true });
      const [action, surplus] = positionals;
      if (surplus !== undefined) throw new UsageError(`"${surplus}" is too much: console hash takes nothing more`);
      if (action !== "hash") throw new UsageError(`expects: console hash${action === undefined ? "" : `; there is no action "${action}"`}`);
      const password = (await read()).replace(/\r?\n$/, "");
      if (password.length < LEAST_LENGTH || password.length > MOST_LENGTH)
        throw new UsageError(`expects a password of ${LEAST_LENGTH} to ${MOST_LENGTH} characters on standard input`);
      io.out(await hashPassword(new Secret(password), systemChance));
      return 0;
    },
  };
}
