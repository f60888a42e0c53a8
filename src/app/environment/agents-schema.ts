import { z } from "zod";
import { withoutSlashes } from "../../kernel/text-end.ts";
import { isLoopback } from "../../kernel/web-address.ts";

export interface AgentsConfig {
  /** False: there is no `/agents`. */
  on: boolean;
  /** The address that agents dial, printed at an enrolment. `urlIsSet`: the address comes from AGENTS_URL, not from other variables. */
  url: string;
  urlIsSet: boolean;
  pingMs: number;
  silenceMs: number;
  limit: number;
}

const MAX_MS = 600_000;
const MAX_CONNECTIONS = 100_000;

export const AGENT_VARIABLES = {
  AGENTS: z
    .string()
    .refine((text) => text === "on" || text === "off", "expects on or off")
    .default("on"),
  AGENTS_URL: z
    .string()
    .refine(
      (text) => URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol),
      "expects an address such as wss://fiscal.shop.example/agents",
    )
    .transform(withoutSlashes)
    .optional(),
  AGENT_PING_MS: wholeNumber("milliseconds", MAX_MS).default("5000"),
  AGENT_SILENCE_MS: wholeNumber("milliseconds", MAX_MS).default("12000"),
  AGENT_LIMIT: wholeNumber("connections", MAX_CONNECTIONS).default("5000"),
};

type AgentEnvironment = z.output<z.ZodObject<typeof AGENT_VARIABLES>> & { PUBLIC_URL?: string | undefined; HOST: string; PORT: string };

export function agentsConfig(env: AgentEnvironment): AgentsConfig {
  return {
    on: env.AGENTS === "on",
    url: env.AGENTS_URL ?? `${(env.PUBLIC_URL ?? `http://${env.HOST}:${env.PORT}`).replace(/^http/, "ws")}/agents`,
    urlIsSet: env.AGENTS_URL !== undefined,
    pingMs: Number(env.AGENT_PING_MS),
    silenceMs: Number(env.AGENT_SILENCE_MS),
    limit: Number(env.AGENT_LIMIT),
  };
}

/** Returns what is wrong with the configuration. */
export function agentProblems({ on, url, urlIsSet, pingMs, silenceMs }: AgentsConfig, production: boolean): string[] {
  const problems: string[] = [];
  if (silenceMs <= pingMs) problems.push(`AGENT_SILENCE_MS expects more than AGENT_PING_MS, which is ${pingMs}; it is ${silenceMs}`);
  if (production && on && urlIsSet && url.startsWith("ws:") && !isLoopback(url))
    problems.push(`AGENTS_URL expects a wss address when NODE_ENV is production; it is ${JSON.stringify(url)}`);
  return problems;
}

function wholeNumber(unit: string, most: number) {
  return z.string().refine((text) => /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most, `expects whole ${unit} from 1 to ${most}`);
}
