import { type CheckResult, held } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";

/** The states in a solution's answer (platform-contracts 3.8). */
export const STATUSES: readonly unknown[] = ["Activating", "SettingsRequired", "Activated"];

export function expectStatus(sent: Sent, ...allowed: number[]): CheckResult {
  return allowed.includes(statusOf(sent)) ? held : broken(sent, `the status is not ${allowed.join(" or ")}`);
}

/** Expects 200 with one of the three states, or with `wanted` if given. */
export function expectState(sent: Sent, wanted?: unknown): CheckResult {
  if (statusOf(sent) !== 200) return broken(sent, "the status is not 200");
  const status = objectOf(sent)?.status;
  if (!STATUSES.includes(status)) return broken(sent, 'the body\'s "status" is none of the three');
  return wanted === undefined || status === wanted ? held : broken(sent, `the body's "status" is not ${JSON.stringify(wanted)}`);
}

/** Expects `{"errors":[{"error","code","parameter"?}]}` as JSON. */
export function expectErrors(sent: Sent): CheckResult {
  const { exchange } = sent;
  if (exchange.kind !== "answer" || !/^application\/json\b/.test(exchange.contentType))
    return broken(sent, "the Content-Type is not application/json");
  const errors = objectOf(sent)?.errors;
  if (!Array.isArray(errors) || errors.length === 0) return broken(sent, 'the body has no "errors"');
  return errors.every(isError) ? held : broken(sent, "an error has no text in error, or no whole number in code");
}

function isError(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { error, code } = entry as Record<string, unknown>;
  return typeof error === "string" && error !== "" && Number.isInteger(code);
}
