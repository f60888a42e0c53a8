import { z } from "zod";
import { isZone } from "../kernel/moment.ts";
import { agentFailure } from "./failures.ts";

export interface AgentConfig {
  dataDir: string;
  logLevel: string;
  /** The environment variables for proxies, by the names that Node's HTTP agents read. */
  proxyEnv: Record<string, string>;
  /** The time zone of an emulated register's clock. A real register has its own clock. */
  timeZone: string;
  /** How far the clock of this process runs ahead, for tests in which something expires. Always 0 in production. */
  clockAheadMs: number;
  production: boolean;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const PROXY_VARIABLES = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"];
/** A hundred years. */
const MAX_CLOCK_AHEAD_MS = 36_525 * 86_400_000;

const ENVIRONMENT = z.object({
  AGENT_DATA: z.string().default("./agent-data"),
  LOG_LEVEL: z
    .string()
    .refine((text) => LOG_LEVELS.includes(text), `expects one of ${LOG_LEVELS.join(", ")}`)
    .default("info"),
  TIME_ZONE: z.string().refine(isZone, "expects a time zone such as Europe/Moscow").default("Europe/Moscow"),
  CLOCK_AHEAD_MS: z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text) && Number(text) <= MAX_CLOCK_AHEAD_MS,
      `expects whole milliseconds up to ${MAX_CLOCK_AHEAD_MS}`,
    )
    .default("0"),
  NODE_ENV: z
    .string()
    // A misspelt "production" would allow the agent to connect without TLS.
    .refine((text) => text === "production" || !/^\s*prod/i.test(text), "expects production, written so, or another word for a trial")
    .optional(),
});

/** Reads the environment. Throws a `Failure` with a line for each wrong variable. */
export function readAgentConfig(environment: Record<string, string | undefined> = process.env): AgentConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""));
  const parsed = ENVIRONMENT.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
    throw agentFailure("configuration", "caller", lines.join("\n"));
  }
  const env = parsed.data;
  const proxies = PROXY_VARIABLES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  const production = env.NODE_ENV === "production";
  return {
    dataDir: env.AGENT_DATA,
    logLevel: env.LOG_LEVEL,
    proxyEnv: Object.fromEntries(proxies),
    timeZone: env.TIME_ZONE,
    clockAheadMs: production ? 0 : Number(env.CLOCK_AHEAD_MS),
    production,
  };
}
