import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Returns the first option with a value that occurs twice although it takes one value. Node would silently use the last value. Throws as
 * `parseArgs` does when the arguments are wrong.
 */
export function repeatedOption(config: ParseArgsConfig): string | undefined {
  const seen = new Set<string>();
  for (const token of parseArgs({ ...config, tokens: true }).tokens) {
    if (token.kind !== "option" || token.value === undefined || config.options?.[token.name]?.multiple === true) continue;
    if (seen.has(token.name)) return token.name;
    seen.add(token.name);
  }
  return undefined;
}
