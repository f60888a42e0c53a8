import { closeSync, existsSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { processClock } from "../app/clock.ts";
import { DEVELOPMENT_CREDENTIAL } from "../app/config.ts";
import { messageOf } from "../kernel/failure.ts";
import { PLATFORM_PROFILES } from "../kernel/platform-profile.ts";
import { makePrivate, OWNER_ONLY } from "../kernel/private-file.ts";
import { withoutSlashes } from "../kernel/text-end.ts";
import { GROUPS, ofSources, select, without } from "../tools/conformance/catalogue.ts";
import { type ConformanceOptions, examine } from "../tools/conformance/conformance.ts";
import { type DescriptorFile, descriptorFile } from "../tools/conformance/descriptor/read.ts";
import { LOYALTY_ACCOUNT } from "../tools/conformance/play/account-ids.ts";
import type { Permission } from "../tools/conformance/play/evidence.ts";
import { basesOf, type Target } from "../tools/conformance/play/target.ts";
import { exitCodeOf, headLines, jsonReport, linesOf, quietLines, tailLines } from "../tools/conformance/report.ts";
import { type Group, SOURCES, type Source } from "../tools/conformance/rules/rule.ts";
import type { Solution } from "../tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES, type ProfileName } from "../tools/sandbox/caller/names.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";
import { MAX_INPUT_BYTES, readInput } from "./input-file.ts";

const USAGE = `Usage: npm run cli -- conformance --base URL | --descriptor FILE|URL [options]

Examines a server, this one or any other, from outside: plays the platform against it over HTTP and judges every
rule of the descriptor, the vendor contract, the fiscal contract and, with --jwks-port, QR payment, and with --loyalty-key
or --only loyalty, loyalty. Uses accounts of its own and leaves nothing installed. src/tools/conformance/README.md tells how to run it against a server of your own.

  --base URL            the server; its contracts are at URL/vendor, URL/fiscal, URL/qr and URL/loyalty
  --descriptor FILE|URL the solution's descriptor: its rules are checked too, and it tells where the contracts
                        are; together with --base its paths are called at that address
  --app ID:UID:SECRET   credentials of the solution (default: the development set)
  --profile NAME        canonical (default) or production: names of headers, paths and addresses
  --only RULE           one rule, or all below a name (vendor, fiscal/repeat), and what they need
  --source NAMES        only rules that come from there, as in seed,public (seed, public, decided; default: all)
  --quiet               print only what is broken, and what could not be found out, at the end
  --registers-for-real  register on any drive. Without it nothing is registered unless the server holds the
                        development set, and the run ends at the first drive that is not a debug one (9999…)
  --port N              port of the platform's side, for the server's PLATFORM_APPS_URL (default: a free one)
  --jwks-port N         serve the keys of QR tokens at http://127.0.0.1:N/.well-known/jwks.json, for the server's
                        QR_JWKS_URL. Without it the rules of QR payment are left out
  --issuer TEXT         issuer of those tokens, for the server's QR_ISSUER (default: that of the profile)
  --paying RULES        amounts (default with the development set): the server's bank is a simulated one that goes by the
                        last two digits of an amount; none: rules that need a paid payment do not apply
  --account ID          an account whose loyalty programme is on, with its access key:
  --loyalty-key TEXT    the rules of loyalty are run on it. Without both and with --only loyalty the run installs account
                        ${LOYALTY_ACCOUNT}, whose programme has to be on before
  --json FILE           the report for programs; it has whole requests and answers

Sources: seed is the platform's contract itself, public what its vendor's published documentation says besides, decided
what a careful server does where both are silent. Clauses such as "platform-contracts 3.3", "interface 6" or
"fiscal-receipts 8" are chapters of the facts that the project has collected, which are not part of the repository:
"expected" states the fact itself.

Exit code: 0 every rule that applies is held; 1 a rule is broken; 2 something could not be found out, or was left behind.
`;

export const conformanceCommand: Command = {
  name: "conformance",
  summary: "check a server, this one or any other, against every rule of the contracts",
  usage: USAGE,
  run: async (args, io) => runConformance(await optionsOf(args, io.signal), io),
};

interface Options {
  target: Target;
  groups: readonly Group[];
  permission: Permission["kind"];
  port: number;
  qr: ConformanceOptions["qr"];
  loyalty: ConformanceOptions["loyalty"];
  json: string | undefined;
  sources: readonly Source[];
  quiet: boolean;
}

async function runConformance({ json, quiet, ...options }: Options, io: CommandIo): Promise<number> {
  const { profile } = options.target;
  if (!quiet) for (const line of headLines(options)) io.out(line);
  const examined = await examine({
    ...options,
    clock: processClock(),
    signal: io.signal,
    listening: (base, keys) => {
      io.err(`the platform's side listens at ${base}`);
      if (keys !== undefined) io.err(`the keys of QR tokens are at ${keys}`);
    },
    done: (judged) => {
      if (!quiet) for (const line of linesOf(judged, profile)) io.out(line);
    },
  }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") throw new UsageError(portInUse(options));
    throw error;
  });
  if (examined.kind === "unreachable") {
    io.err(examined.why);
    return 2;
  }
  const { result, facts } = examined;
  for (const line of quiet ? quietLines(result, profile) : [""]) io.out(line);
  for (const line of tailLines(result, { ...facts, hasJson: json !== undefined })) io.out(line);
  if (json !== undefined) writeReport(json, jsonReport(result, { ...facts, sources: options.sources }));
  return exitCodeOf(result);
}

async function optionsOf(args: string[], signal: AbortSignal): Promise<Options> {
  const values = parsed(args);
  const { base, app, only, json } = values;
  if (json !== undefined) demandWritable(json);
  if (base === undefined && values.descriptor === undefined)
    throw new UsageError("conformance needs --base URL, or --descriptor FILE or URL");
  if (base !== undefined && !isHttp(base)) throw new UsageError(`--base expects an address such as http://127.0.0.1:8080, not "${base}"`);
  const profileName = profileOf(values.profile);
  const descriptor = values.descriptor === undefined ? undefined : await readDescriptor(values.descriptor, signal);
  const target: Target = {
    solution: solutionOf(app, profileName),
    ownCredentials: isOwn(app),
    profile: PLATFORM_PROFILES[profileName],
    descriptor,
    ...basesOf(base === undefined ? undefined : withoutSlashes(base), descriptor),
  };
  const qr = qrOf(values, PLATFORM_PROFILES[profileName].qrIssuer);
  const loyalty = loyaltyOf(values);
  const offered = (descriptor === undefined ? without("descriptor") : [...GROUPS]).filter(({ id }) => qr !== undefined || !isOfQr(id));
  const all = loyalty === undefined ? without("loyalty", offered) : offered;
  const selected = only === undefined ? all : select(only);
  if (selected === undefined) {
    throw new UsageError(`--only: there is no rule "${only}"; known are names such as descriptor, vendor/token, fiscal/repeat/same-answer`);
  }
  if (qr === undefined && selected.some(({ id }) => isOfQr(id)))
    throw new UsageError(`--only ${only} needs --jwks-port: the port where the server reads the keys of QR tokens`);
  const sources = sourcesOf(values.source);
  const groups = ofSources(sources, selected);
  if (groups.length === 0) throw new UsageError(`--source ${values.source}: no rule of --only ${only} comes from there`);
  const port = portOf("--port", values.port);
  return { target, groups, permission: permissionOf(values), port, qr, loyalty, json, sources, quiet: values.quiet };
}

function parsed(args: string[]) {
  const text = { type: "string" } as const;
  const options = {
    ...{ base: text, descriptor: text, app: text, profile: text, only: text, source: text, port: text, json: text },
    ...{ "jwks-port": text, issuer: text, paying: text, account: text, "loyalty-key": text },
    quiet: { type: "boolean", default: false },
    "registers-for-real": { type: "boolean", default: false },
  } as const;
  return readArguments({ args, options }).values;
}

/**
 * The options for the rules of QR payment. Undefined: there is no `--jwks-port`, so these rules cannot run. Throws a `UsageError` for an
 * option of these rules without `--jwks-port`.
 */
function qrOf(values: ReturnType<typeof parsed>, profileIssuer: string): Options["qr"] {
  const stray = values["jwks-port"] === undefined ? (["issuer", "paying"] as const).find((name) => values[name] !== undefined) : undefined;
  if (stray !== undefined) throw new UsageError(`--${stray} is about QR tokens, whose rules need --jwks-port`);
  const { issuer = profileIssuer, paying = isOwn(values.app) ? "none" : "amounts" } = values;
  if (paying !== "amounts" && paying !== "none") throw new UsageError(`--paying expects amounts or none, not "${paying}"`);
  if (issuer === "") throw new UsageError("--issuer expects the issuer of QR tokens");
  const port = values["jwks-port"];
  return port === undefined ? undefined : { port: portOf("--jwks-port", port), issuer, paying };
}

/**
 * The account for the rules of loyalty, from `--account` and `--loyalty-key`. Undefined: neither was given. Then the rules are left out,
 * unless `--only` selects them and the run installs its own account. Throws a `UsageError` when only one of the two was given.
 */
function loyaltyOf({ account: accountId, "loyalty-key": key }: ReturnType<typeof parsed>): Options["loyalty"] {
  if (accountId === undefined && key === undefined) return undefined;
  if (accountId === undefined || accountId === "" || key === undefined || key === "")
    throw new UsageError("--account and --loyalty-key go together: an account and the access key of its programme");
  return { accountId, key };
}

function isOfQr(group: string): boolean {
  return group.startsWith("qr/");
}

function portInUse({ port, qr }: Pick<Options, "port" | "qr">): string {
  return `--port ${port}${qr === undefined ? "" : ` or --jwks-port ${qr.port}`} is in use`;
}

function sourcesOf(text: string | undefined): readonly Source[] {
  if (text === undefined) return SOURCES;
  return text.split(",").map((name) => {
    const source = SOURCES.find((known) => known === name.trim());
    if (source === undefined)
      throw new UsageError(`--source expects one or more of ${SOURCES.join(", ")} with commas between, not "${text}"`);
    return source;
  });
}

function permissionOf({
  app,
  "registers-for-real": forReal,
}: {
  app?: string | undefined;
  "registers-for-real": boolean;
}): Permission["kind"] {
  if (forReal) return "for-real";
  return isOwn(app) ? "own-set" : "development-set";
}

function isOwn(app: string | undefined): boolean {
  const { appId, appUid, secretKey } = DEVELOPMENT_CREDENTIAL;
  return app !== undefined && app !== `${appId}:${appUid}:${secretKey}`;
}

/** Reads `APPID:APPUID:SECRET`. Only the secret may contain colons. */
function solutionOf(app: string | undefined, profile: ProfileName): Solution {
  const names = PLATFORM_NAMES[profile];
  if (app === undefined) return { ...DEVELOPMENT_CREDENTIAL, names };
  const [, appId, appUid, secretKey] = /^([^:]+):([^:]+):(.+)$/.exec(app) ?? [];
  if (appId === undefined || appUid === undefined || secretKey === undefined) throw new UsageError("--app expects APPID:APPUID:SECRET");
  return { appId, appUid, secretKey, names };
}

function profileOf(text: string | undefined): ProfileName {
  if (text === undefined || text === "canonical") return "canonical";
  if (text === "production") return text;
  throw new UsageError(`--profile expects canonical or production, not "${text}"`);
}

function portOf(option: string, text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`${option} expects a port number, not "${text}"`);
}

async function readDescriptor(source: string, signal: AbortSignal): Promise<DescriptorFile> {
  try {
    return descriptorFile(source, isHttp(source) ? await download(source, signal) : await readInput(source));
  } catch (error) {
    throw new UsageError(`--descriptor ${source} cannot be read: ${messageOf(error)}`);
  }
}

/** How long a descriptor may take. It is a file of some kilobytes. */
const DOWNLOAD_LIMIT_MS = 30_000;

async function download(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_LIMIT_MS)]) });
  if (!response.ok) throw new UsageError(`it was answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_INPUT_BYTES) throw new UsageError(`more than ${MAX_INPUT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString("utf8");
}

/**
 * Checks before the long run that the report can be written. An existing file stays unchanged, and a new file is removed again. If the name
 * is a link to a missing file, this file is made and removed, and the link stays.
 */
function demandWritable(file: string): void {
  writing(file, () => {
    const isNew = !existsSync(file);
    closeSync(openSync(file, "a", OWNER_ONLY));
    if (isNew) rmSync(realpathSync(file));
  });
}

/** Writes the report for its owner only, because whole requests contain access tokens, keys and contacts of buyers. */
function writeReport(file: string, report: object): void {
  writing(file, () => {
    makePrivate(file);
    writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  });
}

function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`--json ${file} cannot be written: ${messageOf(error)}`);
  }
}

function isHttp(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
