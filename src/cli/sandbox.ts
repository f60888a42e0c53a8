import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processClock } from "../app/clock.ts";
import { createLog } from "../app/logging.ts";
import { systemChance } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { writeTrusted } from "../kernel/private-file.ts";
import { withoutSlashes } from "../kernel/text-end.ts";
import type { Login } from "../tools/sandbox/account/users.ts";
import { FAULT_NAMES, type Fault } from "../tools/sandbox/api/faults.ts";
import { PLATFORM_NAMES, type ProfileName } from "../tools/sandbox/caller/names.ts";
import type { SandboxOptions } from "../tools/sandbox/sandbox.ts";
import { openSandbox } from "../tools/sandbox/sandbox.ts";
import { describeSettings, readSetting } from "../tools/sandbox/setting-choices.ts";
import { defaultSettings, type SandboxSettings } from "../tools/sandbox/settings.ts";
import type { LifecycleResult } from "../tools/sandbox/solution/host.ts";
import type { SolutionOptions } from "../tools/sandbox/solution/open-solution.ts";
import { aborted } from "./aborted.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";
import { given, oneOf, wholeNumber } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- sandbox [options]

The trade platform on this machine, as far as a client of its JSON API can tell: a test tool. Listens on
127.0.0.1 until SIGTERM or SIGINT. Standard output carries one JSON line when it is ready, with its address,
the administrator's token, the address of the keys of QR tokens and their issuer; warnings go to standard error.

  --port N                   where to listen (default 0, a free port)
  --data DIR                 keep the account there, durable over kill -9 (default: memory)
  --products N               generated products besides the shop's own (default 0)
  --seed N                   same seed: same data and ids, same requests struck by faults (default 1)
  --admin LOGIN:PASSWORD     the account's administrator (default admin@shop:secret)
  --employee LOGIN:PASSWORD  repeatable: a user without administrator rights, cashier in windows
  --worker LOGIN:PASSWORD    repeatable: the same with the role worker
  --token TEXT               Bearer token of the administrator (default: made up)
  --profile NAME             names of headers (X-Platform-… or X-Lognex-…) and defaults of four settings, below:
                             canonical or production (default canonical)
  --plan NAME                paid or free (default paid)
  --no-limits                rate and parallel limits refuse nothing
  --set NAME=VALUE           repeatable: what documents disagree about, see below
  --fault NAME[=SHARE]       repeatable: share of the requests struck, 0 to 1 (default 1)
  --public-url URL           address in hrefs, as behind a proxy (default: its own)
  --solution URL             install the solution at that server and call it for retail documents (tries for 60 s)
  --app ID:UID:SECRET        its credentials (default: the development set)
  --token-seconds N          life of the tokens of QR calls (default 60)
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
POST BASE/sandbox/context/LOGIN/another one of another solution. GET BASE/sandbox/window/LOGIN is the platform's page with the
solution's frame: ?locale=ru_RU or en_US, ?identity=token, context, none, expired or used, ?width=PX, ?kept.

POST BASE/sandbox/qr with {"amount": KOPECKS} or {"positions": […]}, and "sale": true for the document, plays a QR payment at a till;
GET BASE/sandbox/qr/ID tells how it stands, POST BASE/sandbox/qr/ID/cancel cancels or gives back. POST BASE/sandbox/qr/token makes a
token for calls of one's own; POST BASE/sandbox/qr/keys/rotate, fail and heal are for the key address. QR_JWKS_URL and QR_ISSUER of the
server are "jwks" and "issuer" of the ready line.

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
  const sandbox = await opened(openSandbox({ ...options, clock: processClock(), chance: systemChance, log }));
  let code = 0;
  let trusted: ReturnType<typeof writeAuthority> | undefined;
  try {
    if (sandbox.ca !== undefined) trusted = writeAuthority(sandbox.ca, options.data);
    const { base, token, jwks, issuer } = sandbox;
    io.out(JSON.stringify({ base, token, jwks, issuer, ...(trusted === undefined ? {} : { ca: trusted.path }) }));
    sandbox.beginSolution()?.then(
      (result) => io.err(installedLine(result)),
      // If the sandbox ends during an installation, the account is closed and the installation fails. The failure is not reported, because
      // the next start installs again.
      (error: unknown) => (io.signal.aborted ? undefined : io.err(`solution not installed: ${messageOf(error)}`)),
    );
    const lost = await Promise.race([aborted(io.signal), sandbox.account.lost]);
    if (lost !== undefined) {
      io.err(`the sandbox ends, its account can be kept no more: ${messageOf(lost)}`);
      code = 1;
    }
  } finally {
    await sandbox.close();
    trusted?.remove();
  }
  // Calls to a solution or a receiver may last another minute. The process does not wait for them, because their results are not stored
  // after the end.
  process.exit(code);
}

function installedLine({ status, installation, words }: LifecycleResult): string {
  const known = installation === "Activated" || installation === "SettingsRequired" || installation === "Activating";
  return known ? `solution installed: ${installation}` : `solution not installed: ${status === undefined ? "no answer:" : status} ${words}`;
}

/** Two failures are usage errors: the folder contradicts an option, or a login exists twice. */
async function opened<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Failure && (error.code === "folder-differs" || error.code === "login-taken")) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * Writes the certificate of the authority, which other programs must trust. A data folder keeps the file, like the authority itself.
 * Without a data folder the file goes to a temporary folder that is removed at the end. Throws a `UsageError` when it cannot be written.
 */
function writeAuthority(pem: string, data: string | undefined): { path: string; remove(): void } {
  const folder = data ?? mkdtempSync(join(tmpdir(), "sandbox-"));
  const path = join(folder, "ca.pem");
  try {
    writeTrusted(path, pem);
  } catch (error) {
    if (data === undefined) rmSync(folder, { recursive: true, force: true });
    throw new UsageError(`the certificate of --tls cannot be written: ${messageOf(error)}`);
  }
  return { path, remove: () => (data === undefined ? rmSync(folder, { recursive: true, force: true }) : undefined) };
}

export type StatedOptions = Omit<SandboxOptions, "clock" | "chance" | "log">;

const MAX_PORT = 65_535;
/** The maximum number of products. A million products need more memory than a process has. */
const MAX_PRODUCTS = 500_000;
const MAX_SEED = Number.MAX_SAFE_INTEGER;
/** The longest life of a QR token: a day. A test of an expired token asks for a token with its own claims. */
const MAX_TOKEN_SECONDS = 86_400;
const DEFAULT_TOKEN_SECONDS = "60";
const PLANS: readonly SandboxSettings["plan"][] = ["paid", "free"];

/** Reads the arguments. Throws a `UsageError` of one line that names what is wrong. */
export function readSandboxOptions(args: string[]): StatedOptions {
  const { values } = parse(args);
  const administrator = values.admin === undefined ? undefined : login("--admin", values.admin, true);
  const profile = oneOf("--profile", values.profile ?? "canonical", Object.keys(PLATFORM_NAMES) as ProfileName[]);
  return {
    port: wholeNumber("--port", values.port ?? "0", 0, MAX_PORT),
    data: values.data === undefined ? undefined : given("--data", values.data, "a folder"),
    products: values.products === undefined ? undefined : wholeNumber("--products", values.products, 0, MAX_PRODUCTS),
    seed: values.seed === undefined ? undefined : wholeNumber("--seed", values.seed, 0, MAX_SEED),
    administrator,
    employees: employees({ employee: values.employee ?? [], worker: values.worker ?? [] }, administrator),
    token: values.token === undefined ? undefined : token(values.token),
    profile,
    limited: values["no-limits"] !== true,
    faults: (values.fault ?? []).map(fault),
    publicUrl: values["public-url"] === undefined ? undefined : publicUrl(values["public-url"]),
    tls: values.tls === true,
    solution: solutionOf(values),
    tokenSeconds: wholeNumber("--token-seconds", values["token-seconds"] ?? DEFAULT_TOKEN_SECONDS, 1, MAX_TOKEN_SECONDS),
    settings: settings(values.set ?? [], oneOf("--plan", values.plan ?? "paid", PLANS), profile),
  };
}

function parse(args: string[]) {
  return readArguments({
    args,
    strict: true,
    allowPositionals: false,
    options: {
      port: { type: "string" },
      data: { type: "string" },
      products: { type: "string" },
      seed: { type: "string" },
      admin: { type: "string" },
      employee: { type: "string", multiple: true },
      worker: { type: "string", multiple: true },
      token: { type: "string" },
      profile: { type: "string" },
      plan: { type: "string" },
      "no-limits": { type: "boolean" },
      set: { type: "string", multiple: true },
      fault: { type: "string", multiple: true },
      "public-url": { type: "string" },
      tls: { type: "boolean" },
      solution: { type: "string" },
      app: { type: "string" },
      "token-seconds": { type: "string" },
    },
  });
}

function employees(texts: { employee: readonly string[]; worker: readonly string[] }, administrator: Login | undefined): readonly Login[] {
  const workers = texts.worker.map((text): Login => ({ ...login("--worker", text, false), role: "worker" }));
  const read = [...texts.employee.map((text) => login("--employee", text, false)), ...workers];
  const taken = [...(administrator === undefined ? [] : [administrator]), ...read].map((each) => each.login);
  const twice = taken.find((name, index) => taken.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(
      `${texts.worker.some((text) => text.startsWith(`${twice}:`)) ? "--worker" : "--employee"}: there are two logins ${twice}`,
    );
  return read;
}

/** The password is everything after the first colon. */
function login(option: string, text: string, administrator: boolean): Login {
  const [, name, password] = /^([^:\s]+):(.+)$/s.exec(text) ?? [];
  if (name === undefined || password === undefined) throw new UsageError(`${option} is LOGIN:PASSWORD, not "${text}"`);
  return { login: name, password, administrator };
}

function token(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new UsageError("--token is a text without spaces, as a header takes it");
  return text;
}

/** The development credentials, in the form of `--app`. */
const DEVELOPMENT_APP = "00000000-0000-4000-8000-000000000001:fiscal-solution.dev:development-secret-not-for-production";

function solutionOf({ solution: url, app }: { solution?: string | undefined; app?: string | undefined }): SolutionOptions | undefined {
  if (url !== undefined) return solution(url, app);
  if (app !== undefined) throw new UsageError("--app goes with --solution: the credentials of the server at that address");
  return undefined;
}

function solution(url: string, app: string = DEVELOPMENT_APP): SolutionOptions {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol) || address.search !== "" || address.hash !== "") {
    throw new UsageError(`--solution is the address of a server like http://127.0.0.1:8080, not "${url}"`);
  }
  const [, appId, appUid, secretKey] = /^([^:]+):([^:]+):(.+)$/s.exec(app) ?? [];
  if (appId === undefined || appUid === undefined || secretKey === undefined) throw new UsageError(`--app is ID:UID:SECRET, not "${app}"`);
  return { target: `${address.origin}${withoutSlashes(address.pathname)}`, appId, appUid, secretKey };
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "";
  if (!plain) throw new UsageError(`--public-url is an address like https://api.example.org, not "${text}"`);
  return `${url.origin}${withoutSlashes(url.pathname)}`;
}

function fault(text: string): Fault {
  const [name = "", share = "1", ...rest] = text.split("=");
  const found = FAULT_NAMES.find((each) => each === name);
  if (found === undefined) throw new UsageError(`--fault is one of ${FAULT_NAMES.join(", ")}, not "${name}"`);
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(share) ? Number(share) : Number.NaN;
  if (rest.length > 0 || !(value >= 0 && value <= 1)) throw new UsageError(`--fault: the share of ${name} is from 0 to 1, not "${share}"`);
  return { name: found, share: value };
}

function settings(texts: readonly string[], plan: SandboxSettings["plan"], profile: ProfileName): SandboxSettings {
  const all: SandboxSettings = { ...defaultSettings(profile), plan };
  for (const text of texts) {
    const read = readSetting(text);
    if ("problem" in read) throw new UsageError(`--set: ${read.problem}`);
    Object.assign(all, read.setting);
  }
  return all;
}
