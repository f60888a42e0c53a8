import { z } from "zod";
import { Secret } from "../kernel/secret.ts";
import { withoutSlashes } from "../kernel/text-end.ts";

export interface ClusterConfig {
  /** The address at which the other processes reach this process, `http://HOST:PORT`. */
  url: string;
  leaseMs: number;
  /** The address of the database for the connection that must keep its PostgreSQL process, because it holds the lock. */
  sessionUrl: Secret;
}

/** A shorter lease would be lost by a slow commit. With a longer one a register would be without a process for too long. */
const MIN_LEASE_MS = 1_000;
const MAX_LEASE_MS = 10_000;

export const postgresUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), "expects postgres://USER:PASSWORD@HOST:PORT/DATABASE");

/** The variables of the environment that make a process one of several. */
export const CLUSTER_VARIABLES = {
  DATABASE_SESSION_URL: postgresUrl.optional(),
  CLUSTER_URL: z
    .string()
    .refine(isClusterUrl, "expects http://HOST:PORT, the address at which the other processes reach this one")
    .transform(withoutSlashes)
    .optional(),
  CLUSTER_LEASE_MS: z
    .string()
    .refine(
      (text) => /^\d{1,5}$/.test(text) && Number(text) >= MIN_LEASE_MS && Number(text) <= MAX_LEASE_MS,
      `expects whole milliseconds from ${MIN_LEASE_MS} to ${MAX_LEASE_MS}`,
    )
    .default("3000"),
};

interface Variables {
  CLUSTER_URL?: string | undefined;
  CLUSTER_LEASE_MS: string;
  DATABASE_SESSION_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
}

export function clusterOf(env: Variables): { cluster?: ClusterConfig } {
  const { CLUSTER_URL: url, CLUSTER_LEASE_MS: leaseMs, DATABASE_SESSION_URL: session, DATABASE_URL: database } = env;
  if (url === undefined) return {};
  return { cluster: { url, leaseMs: Number(leaseMs), sessionUrl: new Secret(session ?? database ?? "") } };
}

interface Shared {
  cluster?: ClusterConfig;
  databaseUrl?: Secret;
  defaultRegister?: string;
  defaultAcquirer?: Secret;
}

/** Whether a setting names the acquirer that keeps its payments in the folder of one process. */
export function isSimulated(acquirer: string | undefined): boolean {
  return /^simulated(?:$|\?)/.test(acquirer ?? "");
}

/** Returns a line for each setting that several processes on one database cannot have. */
export function clusterProblems(config: Shared): string[] {
  const { cluster, databaseUrl, defaultRegister, defaultAcquirer } = config;
  if (cluster === undefined) return [];
  const problems: string[] = [];
  if (databaseUrl === undefined) problems.push("CLUSTER_URL expects DATABASE_URL: an SQLite database serves one process");
  if (defaultRegister?.startsWith("emulator:")) {
    problems.push("DEFAULT_REGISTER expects no emulator: address when CLUSTER_URL is set: its memory lies in the folder of one process");
  }
  if (isSimulated(defaultAcquirer?.reveal())) {
    problems.push(
      "DEFAULT_ACQUIRER expects a real acquirer, or none, when CLUSTER_URL is set: simulated payments lie in the folder of one process",
    );
  }
  return problems;
}

function isClusterUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || parsed.protocol !== "http:" || parsed.username !== "" || parsed.password !== "") return false;
  return parsed.port !== "" && parsed.pathname === "/" && parsed.search === "" && parsed.hash === "";
}
