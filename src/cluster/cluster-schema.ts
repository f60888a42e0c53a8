import { z } from "zod";
import { Secret } from "../kernel/secret.ts";
import { withoutSlashes } from "../kernel/text-end.ts";

export interface ClusterConfig {
  /** The address of this process for other processes, `http://HOST:PORT`. */
  url: string;
  leaseMs: number;
  /**
   * The database's address for the connection that holds the schema lock. This connection must lead to the same PostgreSQL backend process
   * all the time.
   */
  sessionUrl: Secret;
}

/**
 * A slow commit would lose a lease shorter than `MIN_LEASE_MS`. With a lease longer than `MAX_LEASE_MS`, a register would be without a
 * process for too long after its process was lost.
 */
const MIN_LEASE_MS = 1_000;
const MAX_LEASE_MS = 10_000;

export const postgresUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), "expects postgres://USER:PASSWORD@HOST:PORT/DATABASE");

/** The environment variables of a process in a cluster, and their checks. */
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

/** Returns the settings of a process in a cluster. Without CLUSTER_URL there are none. */
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

/** Whether a setting names the simulated acquirer, whose payments are in the folder of one process. */
export function isSimulated(acquirer: string | undefined): boolean {
  return /^simulated(?:$|\?)/.test(acquirer ?? "");
}

/** Returns a line for each setting that does not work with several processes on one database. */
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
  // A URL's `port` is empty for port 80, so the port is looked for in the text.
  return /\/\/[^/]+:\d+\/?\s*$/.test(text) && parsed.pathname === "/" && parsed.search === "" && parsed.hash === "";
}
