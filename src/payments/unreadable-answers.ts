import type { AcquirerServices } from "../acquirers/acquirer.ts";
import type { PaymentServices } from "./services.ts";

type Observe = AcquirerServices["observe"];

/** The least time between two log lines. A person who has read one line needs no line for each further answer. */
const ALERT_APART_MS = 10 * 60_000;

/**
 * Returns a function that counts the calls of one merchant's account, and logs an error for a person when an answer of
 * the acquirer cannot be understood, such as a web page or half an object. Such an answer changes no payment, so nobody
 * would notice it otherwise.
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
