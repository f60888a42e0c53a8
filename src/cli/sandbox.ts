import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../app/logging.ts";
import { systemChance, systemClock } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { openSandbox } from "../tools/sandbox/sandbox.ts";
import { describeSettings } from "../tools/sandbox/setting-choices.ts";
import type { LifecycleResult } from "../tools/sandbox/solution/host.ts";
import { aborted } from "./aborted.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";
import { readSandboxOptions, type StatedOptions } from "./sandbox/options.ts";

const USAGE = `Usage: npm run cli -- sandbox [options]

The trade platform on this machine, as far as a client of its JSON API can tell: a test tool. Listens on
127.0.0.1 until SIGTERM or SIGINT. Standard output carries one JSON line when it is ready, with its address
and the administrator's token; warnings go to standard error.

  --port N                   where to listen (default 0, a free port)
  --data DIR                 keep the account there, durable over kill -9 (default: memory)
  --products N               generated products besides the shop's own (default 0)
  --seed N                   same seed: same data and ids, same requests struck by faults (default 1)
  --admin LOGIN:PASSWORD     the account's administrator (default admin@shop:secret)
  --employee LOGIN:PASSWORD  repeatable: a user without administrator rights
  --token TEXT               Bearer token of the administrator (default: made up)
  --profile NAME             names of headers: canonical (X-Platform-…) or production (default canonical)
  --plan NAME                paid or free (default paid)
  --no-limits                rate and parallel limits refuse nothing
  --set NAME=VALUE           repeatable: what documents disagree about, see below
  --fault NAME[=SHARE]       repeatable: share of the requests struck, 0 to 1 (default 1)
  --public-url URL           address in hrefs, as behind a proxy (default: its own)
  --solution URL             install the solution at that server and call it for retail documents (tries for 60 s)
  --app ID:UID:SECRET        its credentials (default: the development set)
  --tls                      HTTPS; the ready line gains "ca", the file to trust; with --data it stays the same
  --help                     this text

A folder keeps its seed, its products and its logins: they may be left out when it is started again, and a
seed or a number of products that differs is refused.

Faults: lost-answer (a write is stored, the connection closed), burst-429 (below the rate), html-error (503,
nothing done), slow-answer (1 s later), late-lists (new objects enter lists 1 s later).

Settings, with their defaults:
${describeSettings()
  .map((line) => `  ${line}`)
  .join("\n")}

With a solution, what is created through the JSON API is sent to its fiscal path: GET BASE/sandbox/receipts/ID is the
receipt, or why there is none; GET BASE/sandbox/solution tells of the installation, POST BASE/sandbox/solution/suspend,
resume, tariff, uninstall and install move it; POST BASE/sandbox/context/LOGIN opens a window of it,
POST BASE/sandbox/context/LOGIN/another one of another solution.

GET BASE/sandbox/counters tells what the platform would hold against a client.
`;

export const sandboxCommand: Command = {
  name: "sandbox",
  summary: "the trade platform's JSON API on this machine, with a shop, for tests of clients",
  usage: USAGE,
  run: (args, io) => run(readSandboxOptions(args), io),
};

async function run(options: StatedOptions, io: CommandIo): Promise<number> {
  const log = createLog({ level: "warn", destination: { write: (line) => io.err(line.trimEnd()) } });
  const sandbox = await opened(openSandbox({ ...options, clock: systemClock, chance: systemChance, log }));
  let code = 0;
  const trusted = sandbox.ca === undefined ? undefined : writeAuthority(sandbox.ca, options.data);
  try {
    io.out(JSON.stringify({ base: sandbox.base, token: sandbox.token, ...(trusted === undefined ? {} : { ca: trusted.path }) }));
    void sandbox.beginSolution()?.then((result) => io.err(installedLine(result)));
    const lost = await Promise.race([aborted(io.signal), sandbox.account.lost]);
    if (lost !== undefined) {
      io.err(`the sandbox ends, its account can be kept no more: ${messageOf(lost)}`);
      code = 1;
    }
  } finally {
    await sandbox.close();
    trusted?.remove();
  }
  // Calls to a solution or a receiver may hang for a minute yet: what becomes of them is kept by nobody any more.
  process.exit(code);
}

/** One line of what the installation came to. */
function installedLine({ status, installation, words }: LifecycleResult): string {
  const known = installation === "Activated" || installation === "SettingsRequired" || installation === "Activating";
  return known ? `solution installed: ${installation}` : `solution not installed: ${status === undefined ? "no answer:" : status} ${words}`;
}

/** What only the opening can see of the options: the folder contradicts one, or a login is there twice. */
async function opened<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Failure && (error.code === "folder-differs" || error.code === "login-taken")) throw new UsageError(error.message);
    throw error;
  }
}

/** The file to trust: in the data folder, where it stays as the authority does, else in one of its own that goes at the end. */
function writeAuthority(pem: string, data: string | undefined): { path: string; remove(): void } {
  const folder = data ?? mkdtempSync(join(tmpdir(), "sandbox-"));
  const path = join(folder, "ca.pem");
  writeFileSync(path, pem);
  return { path, remove: () => (data === undefined ? rmSync(folder, { recursive: true, force: true }) : undefined) };
}
