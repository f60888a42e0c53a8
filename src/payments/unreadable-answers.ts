import type { AcquirerServices } from "../acquirers/acquirer.ts";
import type { PaymentServices } from "./services.ts";

type Observe = AcquirerServices["observe"];

/** The least time between two log lines. One line suffices for a person. */
const ALERT_APART_MS = 10 * 60_000;

/**
 * Returns a function that must be called after each call of one merchant's account. If the acquirer's answer cannot be understood (for
 * example a web page), the function logs an error for a person. Such an answer changes no payment, so without the line nobody would notice.
 */
export function alertOfUnreadable(
  { clock, log }: Pick<PaymentServices, "clock" | "log">,
  account: { acquirer: string; merchant: string },
  observe: Observe,
): Observe {
  let alertedAtMs = Number.NEGATIVE_INFINITY;
  return (call, outcome, durationMs) => {
    observe(call, outcome, durationMs);
    if (outcome !== "unreadable" || clock.monotonicMs() - alertedAtMs < ALERT_APART_MS) return;
    alertedAtMs = clock.monotonicMs();
    const { acquirer, merchant } = account;
    log.error(
      { acquirer, merchant, call },
      "an acquirer answers what cannot be understood; payments stay as they are, and a person must look",
    );
  };
}
