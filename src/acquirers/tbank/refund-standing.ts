import type { z } from "zod";
import { present } from "../../kernel/present.ts";
import type { RefundOrder, RefundReading } from "../acquirer.ts";
import { wordsOf } from "../texts.ts";
import type { qrStateSchema } from "./schema.ts";
import { statusOf } from "./translate.ts";

/** `QrCancelCode` of a refund that the buyer's bank refused: the payment stands (qr-acquirers 4.3). */
const REFUND_REFUSED = "I05043";

type QrState = z.infer<typeof qrStateSchema>;
/** A refund, and whether the bank is known to have taken it. */
type Asked = RefundOrder & { bankRefundId?: string };

/** What the payment's status alone says of a refund. Undefined: GetQrState has to tell. */
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
 * A refund by GetQrState, for a payment that is not being refunded. The bank keeps no record for each refund, so what it shows may
 * be an earlier one. Where that cannot be told apart the reading is unknown, and never `none`: a repeat could pay twice.
 */
export function standingByQrState(qr: QrState, order: Asked): RefundReading {
  const status = statusOf(qr.Status);
  if (status === "paid") return unpaidStanding(qr, order);
  if (status !== "partly refunded") return standingByStatus(qr.Status, order) ?? unclear();
  // Nothing was returned before, so what is returned now is this refund.
  if (order.refundedBeforeKopecks === 0) return { kind: "done" };
  if (qr.QrCancelCode === REFUND_REFUSED) return refused(qr);
  if (order.bankRefundId !== undefined && qr.Amount === undefined) return { kind: "done" };
  const bySum = standingBySum(qr.Amount, order);
  // The bank has taken this refund, so that the sum before it only means that the money is still on its way.
  return order.bankRefundId !== undefined && bySum.kind !== "done" ? { kind: "pending" } : bySum;
}

/** The payment stands whole. */
function unpaidStanding(qr: QrState, order: Asked): RefundReading {
  if (order.refundedBeforeKopecks > 0) return { kind: "unknown", problem: "the bank shows no refund where one was done before" };
  if (qr.QrCancelCode === REFUND_REFUSED) return refused(qr);
  return { kind: order.bankRefundId === undefined ? "none" : "pending" };
}

/** `Amount` is that of the last refund or of all, which the documentation leaves open: only what holds for both is used. */
function standingBySum(statedKopecks: number | undefined, order: RefundOrder): RefundReading {
  const { refundedBeforeKopecks: before, amountKopecks: amount } = order;
  if (statedKopecks === before + amount) return { kind: "done" };
  if (before === amount) return unclear();
  if (statedKopecks === before) return { kind: "none" };
  // After a single earlier refund, the sum tells which of the two refunds is the last.
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
