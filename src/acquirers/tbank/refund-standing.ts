import type { z } from "zod";
import { present } from "../../kernel/present.ts";
import type { RefundOrder, RefundReading } from "../acquirer.ts";
import { wordsOf } from "../texts.ts";
import type { qrStateSchema } from "./schema.ts";
import { statusOf } from "./translate.ts";

/** `QrCancelCode` of a refund that the buyer's bank refused: the payment stays paid (qr-acquirers 4.3). */
const REFUND_REFUSED = "I05043";

type QrState = z.infer<typeof qrStateSchema>;
/** A refund. With a `bankRefundId` the bank is known to have accepted it. */
type Asked = RefundOrder & { bankRefundId?: string };

/** The state of a refund, as far as the payment's status shows it. Undefined: GetQrState must be called. */
export function standingByStatus(rawStatus: string, order: RefundOrder): RefundReading | undefined {
  const wholeWithThis = order.refundedBeforeKopecks + order.amountKopecks === order.paidKopecks;
  switch (statusOf(rawStatus)) {
    case "refunding":
      return { kind: "pending" };
    case "refunded":
      if (wholeWithThis) return { kind: "done" };
      return { kind: "unknown", problem: "the bank has returned the whole payment, which is more than was ordered" };
    case "paid":
    case "partly refunded":
      return undefined;
    default:
      return { kind: "unknown", problem: `the payment is ${rawStatus}` };
  }
}

/**
 * The state of a refund by the answer to GetQrState. The bank keeps no record for each refund, so the answer may show an earlier refund.
 * When it is not clear which refund the answer shows, the reading is `unknown` and never `none`: a repeat could return the money twice.
 */
export function standingByQrState(qr: QrState, order: Asked): RefundReading {
  const status = statusOf(qr.Status);
  if (status === "paid") return standingOfUnreturned(qr, order);
  if (status !== "partly refunded") return standingByStatus(qr.Status, order) ?? unclear();
  // No money was returned before, so the returned money is that of this refund.
  if (order.refundedBeforeKopecks === 0) return { kind: "done" };
  if (qr.QrCancelCode === REFUND_REFUSED) return refused(qr);
  if (order.bankRefundId !== undefined && qr.Amount === undefined) return { kind: "done" };
  const bySum = standingBySum(qr.Amount, order);
  // The bank has accepted this refund. When the sum does not show it yet, the money is still on its way.
  return order.bankRefundId !== undefined && bySum.kind !== "done" ? { kind: "pending" } : bySum;
}

/** The state of a refund whose payment has the status "paid": the bank shows no returned money. */
function standingOfUnreturned(qr: QrState, order: Asked): RefundReading {
  if (order.refundedBeforeKopecks > 0) return { kind: "unknown", problem: "the bank shows no refund where one was done before" };
  if (qr.QrCancelCode === REFUND_REFUSED) return refused(qr);
  return { kind: order.bankRefundId === undefined ? "none" : "pending" };
}

/**
 * The documentation does not say whether `Amount` is the sum of the last refund or of all refunds. Only conclusions that hold in both cases
 * are drawn.
 */
function standingBySum(statedKopecks: number | undefined, order: RefundOrder): RefundReading {
  const { refundedBeforeKopecks: before, amountKopecks: amount } = order;
  if (statedKopecks === before + amount) return { kind: "done" };
  if (before === amount) return unclear();
  if (statedKopecks === before) return { kind: "none" };
  // With only one earlier refund, the sum tells which of the two refunds is the last.
  if (statedKopecks === amount && order.number <= 2) return { kind: "done" };
  return unclear();
}

function unclear(): RefundReading {
  return { kind: "unknown", problem: "the bank does not show whether this refund was made" };
}

function refused(qr: QrState): RefundReading {
  const words = wordsOf(qr.QrCancelMessage);
  return { kind: "refused", reason: { code: "buyer-bank", bankCode: REFUND_REFUSED, ...present({ words }) }, next: "person" };
}
