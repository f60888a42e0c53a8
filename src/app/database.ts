import { join } from "node:path";
import type { StoreOptions } from "../store/database.ts";
import type { Config } from "./config.ts";

/** Returns the configured database, or else a file in the data folder. */
export function storeOptionsOf(config: Config): StoreOptions {
  if (config.databaseUrl !== undefined) return { kind: "postgres", url: config.databaseUrl.reveal() };
  return { kind: "sqlite", file: join(config.dataDir, "fiscal.sqlite") };
}
