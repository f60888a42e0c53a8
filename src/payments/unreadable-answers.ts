import type { AcquirerServices } from "../acquirers/acquirer.ts";
import type { PaymentServices } from "./services.ts";

type Observe = AcquirerServices["observe"];

/** A person who was told once needs no line for each of a bank's answers, also when some of them can be read. */
const ALERT_APART_MS = 10 * 60_000;

/**
 * Counts the calls of one merchant's account, and tells a person when its acquirer answers what nobody understands: a page, half an
 * object. Such an answer says nothing about a payment, so that its state stays, and nobody else would notice.
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
