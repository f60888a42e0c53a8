import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { z } from "zod";
import { CLUSTER_VARIABLES, type ClusterConfig, clusterOf, clusterProblems, isSimulated, postgresUrl } from "../cluster/cluster-schema.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import { readFileAtMost } from "../kernel/files/bounded-read.ts";
import { boundedList } from "../kernel/list-schema.ts";
import { isZone } from "../kernel/moment.ts";
import { PLATFORM_PROFILE_NAMES, PLATFORM_PROFILES, type PlatformProfile } from "../kernel/platform-profile.ts";
import { present } from "../kernel/present.ts";
import { Secret } from "../kernel/secret.ts";
import { withoutSlashes } from "../kernel/text-end.ts";
import { ALERT_CHANNEL_FORMS, CHANNEL_FORMS, parseAlertChannels, parseChannels } from "../messages/setting.ts";
import { TAX_SYSTEMS, type TaxSystem } from "../model/tax.ts";
import { isPasswordHash } from "../security/password.ts";
import type { ConsoleUser } from "../web/console/session/users.ts";
import { AGENT_VARIABLES, type AgentsConfig, agentProblems, agentsConfig } from "./environment/agents-schema.ts";
import { platformProblems } from "./environment/platform-addresses.ts";

/** The configuration from the environment, read once. Logs never show a `Secret`. */
export interface Config {
  host: string;
  port: number;
  /** Absent: the server has no public address. */
  publicUrl?: string;
  dataDir: string;
  databaseUrl?: Secret;
  /** Absent: this process has the database for itself alone. */
  cluster?: ClusterConfig;
  profile: PlatformProfile;
  credentials: Credential[];
  defaultRegister?: string;
  defaultTaxSystem: TaxSystem;
  moneyScale: 1 | 100;
  cashScale: 1 | 100;
  timeZone: string;
  secretKey: Secret;
  /** The acquirer of points of sale without an acquirer of their own. Absent: none. */
  defaultAcquirer?: Secret;
  bankAddresses: Readonly<Record<string, string>>;
  /** Networks of proxies that may name a request's source, such as `10.0.0.0/8`. */
  trustedProxies: readonly string[];
  /** The channels of verification codes, tried in this order, or `none`. */
  codeChannel: Secret;
  /** The channels of alerts for the operator. Absent: none. `ownerChannelOf` chooses the channel for shop owners. */
  alertChannel?: Secret;
  clockAheadMs: number;
  /** The users of the operator's console. Empty: there is no console. */
  consoleUsers: readonly ConsoleUser[];
  agents: AgentsConfig;
  logLevel: string;
  production: boolean;
}

/** The credentials of one catalogue entry. An edited version has its own set while it is moderated (platform-contracts 3.1). */
interface Credential {
  appId: string;
  appUid: string;
  secretKey: Secret;
  /** Installations of this entry are for tests, and may use only debug drives. */
  test: boolean;
}

export const DEVELOPMENT_CREDENTIAL = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};
/** The hash of the public password `operator-development-only`. */
const DEVELOPMENT_CONSOLE_USER = {
  login: "operator",
  password: "scrypt$32768$8$1$7yi5GZpvtGnS4XJoy_w5ag$eMX7fR2hEL_BBGyS9DQ4bHoIGnJF2iXJ2rGuImNAuEU",
};
const DEVELOPMENT_SECRET_KEY = "development-key-not-for-production";
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/**
 * Reads the configuration. Throws a `Failure` with code `configuration`. Its message has a line for each wrong or missing variable, with
 * the name and the expected value.
 */
export function readConfig(environment: Record<string, string | undefined> = environmentAndFile()): Config {
  // An empty value in an .env file or a compose file means "not set".
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== undefined && (value.trim() !== "" || MAY_BE_EMPTY.has(name))),
  );
  const parsed = ENVIRONMENT.safeParse(given);
  if (!parsed.success) throw failure(parsed.error.issues.map((issue) => lineOf(issue, given)));
  const config = build(parsed.data);
  const problems = [
    ...clusterProblems(config),
    ...agentProblems(config.agents, config.production),
    ...(config.production ? productionProblems(config) : []),
  ];
  if (problems.length > 0) throw failure(problems);
  return config;
}

/** Reads only the zone, for a tool that serves nothing. Ignores problems of other variables. Throws `configuration` for a wrong zone. */
export function readTimeZone(environment: Record<string, string | undefined> = environmentAndFile()): string {
  const text = environment.TIME_ZONE?.trim() ?? "";
  const parsed = ENVIRONMENT.shape.TIME_ZONE.safeParse(text === "" ? undefined : text);
  if (parsed.success) return parsed.data;
  throw failure(parsed.error.issues.map((issue) => lineOf({ ...issue, path: ["TIME_ZONE"] }, environment)));
}

/** Reads only how far a tool's clocks run ahead, in milliseconds. Throws `configuration` for a wrong value. */
export function readClockAhead(environment: Record<string, string | undefined> = environmentAndFile()): number {
  const text = environment.CLOCK_AHEAD_MS?.trim() ?? "";
  const parsed = ENVIRONMENT.shape.CLOCK_AHEAD_MS.safeParse(text === "" ? undefined : text);
  if (parsed.success) return Number(parsed.data);
  throw failure(parsed.error.issues.map((issue) => lineOf({ ...issue, path: ["CLOCK_AHEAD_MS"] }, environment)));
}

/** Reads only the address of the database, for a tool that starts servers on it. Those servers check the address. */
export function readDatabaseUrl(environment: Record<string, string | undefined> = environmentAndFile()): string | undefined {
  const text = environment.DATABASE_URL?.trim() ?? "";
  return text === "" ? undefined : text;
}

/** Variables of the process override those in `.env`. Node's own flag is not used, because it prints a line when the file is missing. */
function environmentAndFile(): Record<string, string | undefined> {
  if (existsSync(".env")) process.loadEnvFile();
  return process.env;
}

const url = (expects: string) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), expects)
    .transform(withoutSlashes);
const oneOf = (names: readonly string[]) => z.string().refine((text) => names.includes(text), `expects one of ${names.join(", ")}`);
const scale = z.string().refine((text) => text === "1" || text === "100", "expects 1 (roubles) or 100 (kopecks)");

/** The maximum number of credential sets. Each solution of a vendor has a set for its catalogue entry and a set for each edited version. */
const MAX_CREDENTIALS = 1_000;

/** A hundred years. */
const MAX_CLOCK_AHEAD_MS = 36_525 * 86_400_000;

const CREDENTIAL_ROWS = boundedList(
  z.object({ appId: z.string().min(1), appUid: z.string().min(1), secretKey: z.string().min(1), test: z.boolean().default(false) }),
  { max: MAX_CREDENTIALS },
);
const CREDENTIALS_EXPECT = "expects a JSON array of {appId, appUid, secretKey}, or @FILE that holds one";

/** The longest file that a variable names. All credential sets fit into it. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The maximum number of people who look after one server. */
const MAX_CONSOLE_USERS = 100;
const CONSOLE_USER_ROWS = boundedList(
  z.object({
    login: z.string().min(1).max(64),
    password: z.string().refine(isPasswordHash, "expects a hash of `console hash`"),
  }),
  { max: MAX_CONSOLE_USERS },
);
const CONSOLE_USERS_EXPECT = "expects a JSON array of {login, password}, each password a hash of `console hash`, or @FILE that holds one";

const ENVIRONMENT = z.object({
  HOST: z.string().default("127.0.0.1"),
  PORT: z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, "expects a port number, 0 to 65535")
    .default("8080"),
  PUBLIC_URL: url("expects an address such as https://fiscal.shop.example").optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: postgresUrl.optional(),
  ...CLUSTER_VARIABLES,
  PLATFORM_PROFILE: oneOf(PLATFORM_PROFILE_NAMES).default("canonical"),
  CREDENTIALS: z.string().transform(readCredentials).optional(),
  DEFAULT_REGISTER: z.string().optional(),
  DEFAULT_TAX_SYSTEM: oneOf(Object.keys(TAX_SYSTEMS)).default("osn"),
  FISCAL_MONEY_SCALE: scale.default("1"),
  FISCAL_CASH_SCALE: scale.default("100"),
  TIME_ZONE: z.string().refine(isZone, "expects a time zone such as Europe/Moscow").default("Europe/Moscow"),
  SECRET_KEY: z.string().min(16, "expects at least 16 characters of secret").default(DEVELOPMENT_SECRET_KEY),
  PLATFORM_BASE_URL: url("expects the address of the platform's JSON API").optional(),
  PLATFORM_APPS_URL: url("expects the address of the platform's side of the vendor contract").optional(),
  PLATFORM_UI_URL: url("expects the address of the platform's web application").optional(),
  QR_JWKS_URL: url("expects the address of the keys of QR payment tokens").optional(),
  QR_ISSUER: z.string().optional(),
  DEFAULT_ACQUIRER: z.string().optional(),
  YOOKASSA_URL: url("expects the address of YooKassa's API").default("https://api.yookassa.ru/v3"),
  TBANK_URL: url("expects the address of T-Bank's API").default("https://securepay.tinkoff.ru/v2"),
  TRUSTED_PROXIES: z
    .string()
    .refine((text) => networksIn(text).every(isNetwork), "expects networks separated by commas, such as 10.0.0.0/8, fd00::/8")
    .default(""),
  CODE_CHANNEL: z.string().superRefine(checkChannels).optional(),
  ALERT_CHANNEL: z.string().superRefine(checkAlertChannels).optional(),
  CONSOLE_USERS: z.string().transform(readConsoleUsers).optional(),
  CLOCK_AHEAD_MS: z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text) && Number(text) <= MAX_CLOCK_AHEAD_MS,
      `expects whole milliseconds from 0 to ${MAX_CLOCK_AHEAD_MS}`,
    )
    .default("0"),
  ...AGENT_VARIABLES,
  LOG_LEVEL: oneOf(LOG_LEVELS).default("info"),
  NODE_ENV: z
    .string()
    // Another spelling, such as "Production" or "prod", would start the program with the public passwords and keys of a trial.
    .refine((text) => text === "production" || !/^\s*prod/i.test(text), "expects production, written so, or another word for a trial")
    .optional(),
});
type Environment = z.output<typeof ENVIRONMENT>;

/** Variables whose empty value has a meaning. An empty `DEFAULT_REGISTER` means none. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["DEFAULT_REGISTER"]);

/** The names of all variables, for the test that the documentation is complete. */
export const VARIABLES: readonly string[] = Object.keys(ENVIRONMENT.shape);

function build(env: Environment): Config {
  const production = env.NODE_ENV === "production";
  // An emulator's memory is in one process's folder, so several processes have no emulator by default. Production has no emulator either.
  const named = env.DEFAULT_REGISTER ?? (production || env.CLUSTER_URL !== undefined ? "" : "emulator:{store}");
  const defaultRegister = named.trim() === "" ? undefined : named;
  return {
    host: env.HOST,
    port: Number(env.PORT),
    ...present({ publicUrl: env.PUBLIC_URL }),
    dataDir: env.DATA_DIR,
    ...(env.DATABASE_URL === undefined ? {} : { databaseUrl: new Secret(env.DATABASE_URL) }),
    ...clusterOf(env),
    profile: profileOf(env),
    credentials: env.CREDENTIALS ?? [{ ...DEVELOPMENT_CREDENTIAL, secretKey: new Secret(DEVELOPMENT_CREDENTIAL.secretKey), test: true }],
    ...present({ defaultRegister }),
    defaultTaxSystem: env.DEFAULT_TAX_SYSTEM as TaxSystem,
    moneyScale: env.FISCAL_MONEY_SCALE === "100" ? 100 : 1,
    cashScale: env.FISCAL_CASH_SCALE === "100" ? 100 : 1,
    timeZone: env.TIME_ZONE,
    secretKey: new Secret(env.SECRET_KEY),
    ...defaultAcquirerOf(env, production),
    bankAddresses: { yookassa: env.YOOKASSA_URL, tbank: env.TBANK_URL },
    trustedProxies: networksIn(env.TRUSTED_PROXIES),
    codeChannel: new Secret(env.CODE_CHANNEL ?? (production ? "none" : "file")),
    ...(env.ALERT_CHANNEL === undefined ? {} : { alertChannel: new Secret(env.ALERT_CHANNEL) }),
    clockAheadMs: Number(env.CLOCK_AHEAD_MS),
    consoleUsers: env.CONSOLE_USERS ?? (production ? [] : [consoleUserOf(DEVELOPMENT_CONSOLE_USER)]),
    agents: agentsConfig(env),
    logLevel: env.LOG_LEVEL,
    production,
  };
}

/**
 * Returns the profile with the configured addresses. A configured base address also replaces the addresses of the vendor contract and the
 * web application, unless they are configured themselves.
 */
function profileOf(env: Environment): PlatformProfile {
  const profile = PLATFORM_PROFILES[env.PLATFORM_PROFILE === "production" ? "production" : "canonical"];
  return {
    ...profile,
    baseUrl: env.PLATFORM_BASE_URL ?? profile.baseUrl,
    appsUrl: env.PLATFORM_APPS_URL ?? env.PLATFORM_BASE_URL ?? profile.appsUrl,
    uiUrl: env.PLATFORM_UI_URL ?? env.PLATFORM_BASE_URL ?? profile.uiUrl,
    qrJwksUrl: env.QR_JWKS_URL ?? profile.qrJwksUrl,
    qrIssuer: env.QR_ISSUER ?? profile.qrIssuer,
  };
}

function defaultAcquirerOf(env: Environment, production: boolean): { defaultAcquirer?: Secret } {
  const setting = env.DEFAULT_ACQUIRER ?? (production || env.CLUSTER_URL !== undefined ? "none" : "simulated");
  return setting === "none" ? {} : { defaultAcquirer: new Secret(setting) };
}

function checkChannels(text: string, context: z.RefinementCtx): void {
  const parsed = parseChannels(text);
  if (parsed.kind === "invalid") context.addIssue({ code: "custom", message: `expects ${CHANNEL_FORMS}; ${parsed.problem}` });
}

function checkAlertChannels(text: string, context: z.RefinementCtx): void {
  const parsed = parseAlertChannels(text);
  if (parsed.kind === "invalid") context.addIssue({ code: "custom", message: `expects ${ALERT_CHANNEL_FORMS}; ${parsed.problem}` });
}

function networksIn(text: string): string[] {
  return text
    .split(",")
    .map((network) => network.trim())
    .filter((network) => network !== "");
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32));
}

function readCredentials(text: string, context: z.RefinementCtx): Credential[] {
  const rows = rowsIn(text, CREDENTIAL_ROWS, CREDENTIALS_EXPECT, context);
  if (rows === undefined) return z.NEVER;
  const doubled = rows.find((row, index) => rows.findIndex((other) => other.appId === row.appId) !== index);
  if (rows.length === 0) context.addIssue({ code: "custom", message: `${CREDENTIALS_EXPECT}; there is none in it` });
  if (doubled !== undefined) context.addIssue({ code: "custom", message: `expects each appId once; ${doubled.appId} is there twice` });
  return rows.map((row) => ({ ...row, secretKey: new Secret(row.secretKey) }));
}

function readConsoleUsers(text: string, context: z.RefinementCtx): ConsoleUser[] {
  const rows = rowsIn(text, CONSOLE_USER_ROWS, CONSOLE_USERS_EXPECT, context) ?? [];
  const doubled = rows.find((row, index) => rows.findIndex((other) => other.login === row.login) !== index);
  if (doubled !== undefined) context.addIssue({ code: "custom", message: `expects each login once; ${doubled.login} is there twice` });
  return rows.map(consoleUserOf);
}

function consoleUserOf({ login, password }: { login: string; password: string }): ConsoleUser {
  return { login, passwordHash: new Secret(password) };
}

/** Reads rows of JSON from the text or, after `@`, from the file that it names. Undefined: the problem was reported, without the text. */
function rowsIn<T>(text: string, schema: z.ZodType<T[]>, expects: string, context: z.RefinementCtx): T[] | undefined {
  try {
    return schema.parse(JSON.parse(text.startsWith("@") ? fileText(text.slice(1)) : text));
  } catch (error) {
    // A parser's message may quote the text, which contains secrets.
    const problem =
      error instanceof SyntaxError ? "it is not JSON" : error instanceof z.ZodError ? "a row lacks one of them" : messageOf(error);
    context.addIssue({ code: "custom", message: `${expects}; ${problem}` });
    return undefined;
  }
}

/** Throws the file system's error, or a `RangeError` for a file that is too long. */
function fileText(file: string): string {
  const bytes = readFileAtMost(file, MAX_FILE_BYTES);
  if (bytes === undefined) throw new RangeError(`${file} has more than ${MAX_FILE_BYTES} bytes`);
  return bytes.toString("utf8");
}

function productionProblems(config: Config): string[] {
  const problems: string[] = [];
  if (config.credentials.some((row) => row.secretKey.reveal() === DEVELOPMENT_CREDENTIAL.secretKey)) {
    problems.push("CREDENTIALS expects the sets of the developer cabinet when NODE_ENV is production: the development set is public");
  }
  if (config.secretKey.reveal() === DEVELOPMENT_SECRET_KEY) {
    problems.push("SECRET_KEY expects a secret of its own when NODE_ENV is production: the development key is public");
  }
  if (config.defaultRegister?.startsWith("emulator:")) {
    problems.push("DEFAULT_REGISTER expects a real register, or nothing, when NODE_ENV is production: an emulator is no cash register");
  }
  if (isSimulated(config.defaultAcquirer?.reveal())) {
    problems.push("DEFAULT_ACQUIRER expects a real acquirer, or none, when NODE_ENV is production: the simulated one moves no money");
  }
  for (const [name, address] of Object.entries(config.bankAddresses)) {
    if (!address.startsWith("https:")) problems.push(`${name.toUpperCase()}_URL expects an https address when NODE_ENV is production`);
  }
  problems.push(...platformProblems(config.profile));
  if (config.consoleUsers.some(({ passwordHash }) => passwordHash.reveal() === DEVELOPMENT_CONSOLE_USER.password)) {
    problems.push("CONSOLE_USERS expects passwords of their own when NODE_ENV is production: the development password is public");
  }
  if (config.clockAheadMs > 0) problems.push("CLOCK_AHEAD_MS expects 0 when NODE_ENV is production: it is for tests of expiry");
  return problems;
}

/** `lineOf` leaves out the values of these variables. */
const SECRET_VARIABLES = [
  "DATABASE_URL",
  "DATABASE_SESSION_URL",
  "CREDENTIALS",
  "SECRET_KEY",
  "DEFAULT_ACQUIRER",
  "CODE_CHANNEL",
  "ALERT_CHANNEL",
  "CONSOLE_USERS",
];

function lineOf(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  const shown = SECRET_VARIABLES.includes(name) ? "" : `; it is ${JSON.stringify(given[name])}`;
  return `${name} ${issue.message}${shown}`;
}

function failure(lines: string[]): Failure {
  return new Failure("configuration", "caller", lines.join("\n"));
}
