import type { AcquirerKind, ParsedAcquirer } from "./acquirer.ts";
import { simulated } from "./simulated/index.ts";
import { tbank } from "./tbank/index.ts";
import { yookassa } from "./yookassa/index.ts";

/** Every known acquirer. */
export const ACQUIRERS: readonly AcquirerKind[] = [simulated, yookassa, tbank];

export function acquirerNamed(name: string, kinds: readonly AcquirerKind[] = ACQUIRERS): AcquirerKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

/** Checks a setting `acquirer` without asking any bank. For an unknown acquirer the problem lists the known acquirers. */
export function parseAcquirer(setting: string, kinds: readonly AcquirerKind[] = ACQUIRERS): ParsedAcquirer {
  const kind = acquirerNamed(setting.split("?", 1)[0] ?? "", kinds);
  if (kind !== undefined) return kind.parse(setting);
  // The message does not repeat an unknown setting, which may contain secrets.
  return { kind: "invalid", problem: `unknown acquirer; known are ${[...kinds.map(({ form }) => form), "none"].join(", ")}` };
}
