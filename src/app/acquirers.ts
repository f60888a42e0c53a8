import type { ParsedSetting } from "../accounts/settings.ts";
import type { AcquirerKind, ParsedAcquirer } from "../acquirers/acquirer.ts";
import { ACQUIRERS, parseAcquirer } from "../acquirers/catalogue.ts";
import { Failure } from "../kernel/failure.ts";
import type { Config } from "./config.ts";

/**
 * The acquirers that this server may use. Simulated acquirers are missing in production, because they move no money. They are also missing
 * where several processes share the database, because their payments are in one process's folder.
 */
export function acquirersFor({ production, cluster }: Pick<Config, "production" | "cluster">): readonly AcquirerKind[] {
  return production || cluster !== undefined ? ACQUIRERS.filter(({ simulated }) => !simulated) : ACQUIRERS;
}

/** Checks a setting `acquirer` of a point of sale. */
export function parseAcquirerSetting(
  setting: string,
  kinds: readonly AcquirerKind[],
): Exclude<ParsedSetting, { kind: "invalid" }> | Extract<ParsedAcquirer, { kind: "invalid" }> {
  if (setting === "none") return { kind: "none" };
  const parsed = parseAcquirer(setting, kinds);
  return parsed.kind === "account" ? { kind: "account", shown: parsed.account.shown } : parsed;
}

/** Throws `configuration` when DEFAULT_ACQUIRER cannot be parsed. */
export function checkDefaultAcquirer(config: Config): void {
  const setting = config.defaultAcquirer?.reveal();
  if (setting === undefined) return;
  const parsed = parseAcquirerSetting(setting, acquirersFor(config));
  if (parsed.kind === "invalid") throw new Failure("configuration", "caller", `DEFAULT_ACQUIRER: ${parsed.problem}`);
}
