import { UsageError } from "../command.ts";

/** The options of each action. Any other option is refused: ignoring it would mislead the person. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  list: ["state", "account", "store", "limit", "before"],
  show: ["json", "raw"],
  explain: [],
  settle: ["done", "refused", "number", "sign", "time", "shift", "receipt", "sum", "identity", "why", "unconfirmed", "again"],
  correct: ["right", "settles", "sign", "number", "unknown-sign", "date", "order", "yes", "out"],
  report: ["yes", "json"],
  "leave-out": ["why"],
  verify: ["json"],
};

/** Throws a `UsageError` for an option of another action. An unknown action is refused elsewhere. */
export function ownOptions(action: string, values: Readonly<Record<string, string | boolean | undefined>>): void {
  const own = Object.hasOwn(OWN, action) ? OWN[action] : undefined;
  if (own === undefined) return;
  const [foreign] = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false || own.includes(name) ? [] : [name],
  );
  if (foreign === undefined) return;
  const known = own.length === 0 ? "takes none" : `knows ${own.map((name) => `--${name}`).join(", ")}`;
  throw new UsageError(`journal ${action} has no option --${foreign}: it ${known}`);
}
