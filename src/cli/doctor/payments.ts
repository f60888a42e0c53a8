import type { ExaminedKeys } from "../../app/examine-keys.ts";
import { visibleLine } from "../../kernel/visible.ts";
import type { LoyaltyExamination } from "../../operator/loyalty/examine-loyalty.ts";
import type { AcquirerResult, ExaminedAcquirer } from "../../operator/payments/examine-acquirers.ts";
import type { CommandIo } from "../command.ts";
import { reasonText } from "../payments/words.ts";
import { type AlertExamination, alertFindings, alertLines, alertsStop } from "./alerts.ts";
import { loyaltyLines, loyaltyStops } from "./loyalty.ts";

export interface PaymentExamination {
  acquirers: readonly ExaminedAcquirer[];
  keys: ExaminedKeys;
  loyalty?: LoyaltyExamination;
  alerts?: AlertExamination;
}

/** How long a stored key set is valid while the key address returns no keys. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Prints the report. Returns the exit code: 1 when something stops QR payment, loyalty or alerts, else 2 when an acquirer could not be
 * reached, else 0.
 */
export function reportPayments(examination: PaymentExamination, json: boolean, io: CommandIo): number {
  if (json) io.out(JSON.stringify(jsonOf(examination), undefined, 2));
  else for (const line of linesOf(examination)) io.out(visibleLine(line));
  const { acquirers, keys, loyalty, alerts } = examination;
  const stops = acquirers.some(({ result }) => result.kind === "refuses-settings" || result.kind === "setting-invalid");
  const besides = (loyalty !== undefined && loyaltyStops(loyalty)) || (alerts !== undefined && alertsStop(alerts));
  if (stops || besides || keysStop(keys)) return 1;
  return acquirers.some(({ result }) => result.kind === "unreachable") ? 2 : 0;
}

function keysStop({ problem, storedAgeMs }: ExaminedKeys): boolean {
  return problem !== undefined && (storedAgeMs === undefined || storedAgeMs > KEPT_MS);
}

function linesOf({ acquirers, keys, loyalty, alerts }: PaymentExamination): string[] {
  const asked = acquirers.map(
    ({ merchant, places, result }) => `  ${merchant ?? "(unreadable)"}, ${placesText(places)}: ${resultText(result)}`,
  );
  return [
    "Acquirers in use",
    ...(asked.length === 0 ? ["  none: tills cannot be paid by QR"] : asked),
    "",
    "Keys of QR payment tokens",
    `  ${keys.address}`,
    `  stored: ${keys.storedAgeMs === undefined ? "none yet" : `${Math.round(keys.storedAgeMs / 60_000)} minutes old`}`,
    `  read now: ${keys.problem ?? "yes"}`,
    "",
    ...(loyalty === undefined ? [] : loyaltyLines(loyalty)),
    ...(alerts === undefined ? [] : [...alertLines(alerts), ...alertFindings(alerts)]),
    ...findings(acquirers, keys, (loyalty !== undefined && loyaltyStops(loyalty)) || (alerts !== undefined && alertsStop(alerts))),
  ];
}

const NAMED = 3;

function placesText(places: ExaminedAcquirer["places"]): string {
  if (places.length === 0) return "the server's default";
  const names = places.slice(0, NAMED).map(({ accountId, storeId }) => `${accountId}/${storeId}`);
  return `${names.join(", ")}${places.length > NAMED ? ` and ${places.length - NAMED} more` : ""}`;
}

function resultText(result: AcquirerResult): string {
  switch (result.kind) {
    case "answers":
      return "answers, and takes the credentials";
    case "refuses-settings":
      return `refuses: ${reasonText(result.reason)}`;
    case "setting-invalid":
    case "unreachable":
      return result.problem;
  }
}

/** `isNamed`: the report already names a problem of loyalty or alerts, so "Nothing is wrong." must not follow. */
function findings(acquirers: readonly ExaminedAcquirer[], keys: ExaminedKeys, isNamed: boolean): string[] {
  const of = acquirers.flatMap(({ merchant, result }) => findingOf(merchant ?? "an acquirer", result));
  const ofKeys = keysStop(keys)
    ? [
        "STOPS NOW: No keys of QR payment tokens can be had: every call of a till is refused.",
        "  Check QR_JWKS_URL, and that this machine reaches it.",
      ]
    : keys.problem === undefined
      ? []
      : [
          "STOPS SOON: The key address gives no keys; the stored ones serve for 24 hours.",
          "  Check QR_JWKS_URL, and that this machine reaches it.",
        ];
  const all = [...of, ...ofKeys];
  return all.length === 0 && !isNamed ? ["Nothing is wrong."] : all;
}

function findingOf(merchant: string, result: AcquirerResult): string[] {
  switch (result.kind) {
    case "answers":
      return [];
    case "refuses-settings":
      return [`STOPS NOW: ${merchant} does not take the credentials.`, "  Set `acquirer` again with what the bank's cabinet shows."];
    case "setting-invalid":
      return ["STOPS NOW: A setting `acquirer` cannot be used.", `  ${result.problem}`];
    case "unreachable":
      return [`Not examined: ${merchant} gave no answer that tells.`, "  Try again; check that this machine reaches the bank."];
  }
}

function jsonOf({ acquirers, keys, loyalty, alerts }: PaymentExamination) {
  return {
    acquirers: acquirers.map(({ acquirer, merchant, places, result }) => {
      const { kind, ...details } = result;
      return { acquirer: acquirer ?? null, merchant: merchant ?? null, places, result: kind, ...details };
    }),
    keys: { ...keys, stops: keysStop(keys) },
    ...(loyalty === undefined ? {} : { loyalty }),
    ...(alerts === undefined ? {} : { alerts }),
  };
}
