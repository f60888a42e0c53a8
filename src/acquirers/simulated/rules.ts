const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** What happens to a payment, by the last two digits of its amount (payments surface 7). */
type Rule =
  | "declined"
  | "never-paid"
  | "paid-late"
  | "create-refused"
  | "unreachable"
  | "paid-while-cancelling"
  | "refund-refused"
  | "paid-after-expiry"
  | "paid";

const RULES: Readonly<Record<number, Rule>> = {
  1: "declined",
  2: "never-paid",
  3: "paid-late",
  4: "create-refused",
  5: "unreachable",
  6: "paid-while-cancelling",
  7: "refund-refused",
  8: "paid-after-expiry",
};

export function ruleOf(amountKopecks: number): Rule {
  return RULES[amountKopecks % 100] ?? "paid";
}

/** When the buyer pays, and when the payment is declined. Null: at no planned time. */
export function planOf(
  amountKopecks: number,
  times: { atMs: number; payAfterMs: number; expiresAtMs: number },
): { paysAtMs: number | null; declinedAtMs: number | null } {
  const soonMs = times.atMs + times.payAfterMs;
  switch (ruleOf(amountKopecks)) {
    case "declined":
      return { paysAtMs: null, declinedAtMs: soonMs };
    case "paid-late":
      return { paysAtMs: times.atMs + 30 * SECOND_MS, declinedAtMs: null };
    case "paid-after-expiry":
      return { paysAtMs: times.expiresAtMs + MINUTE_MS, declinedAtMs: null };
    case "paid":
    case "refund-refused":
      return { paysAtMs: soonMs, declinedAtMs: null };
    case "never-paid":
    case "paid-while-cancelling":
    case "create-refused":
    case "unreachable":
      return { paysAtMs: null, declinedAtMs: null };
  }
}
