import type { z } from "zod";
import { present } from "../../kernel/present.ts";
import type { RefundOrder, RefundReading } from "../acquirer.ts";
import { wordsOf } from "../texts.ts";
import type { qrStateSchema } from "./schema.ts";
import { statusOf } from "./translate.ts";

/** `QrCancelCode` of a refund that the buyer's bank refused: the payment stays paid (qr-acquirers 4.3). */
const REFUND_REFUSED = "I05043";

type QrState = z.infer<typeof qrStateSchema>;
/** `bankRefundId` is present once the bank has accepted the refund. */
type Asked = RefundOrder & { bankRefundId?: string };

/** The state of a refund, by the payment's status alone. Undefined: call GetQrState. */
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
 * The state of a refund, by the answer to GetQrState. The bank keeps no record for each refund, so the answer may be about an earlier
 * refund. If it is unclear which refund the answer is about, the reading is not `none`: a repeat could return the money twice.
 */
export function standingByQrState(qr: QrState, order: Asked): RefundReading {
  const status = statusOf(qr.Status);
  if (status === "paid") return standingOfUnreturned(qr, order);
  if (status !== "partly refunded") return standingByStatus(qr.Status, order) ?? unclear();
  // No money was returned before, so the returned money is this refund's.
  if (order.refundedBeforeKopecks === 0) return { kind: "done" };
  if (qr.QrCancelCode === REFUND_REFUSED) return refused(qr);
  if (order.bankRefundId !== undefined && qr.Amount === undefined) return { kind: "done" };
  const bySum = standingBySum(qr.Amount, order);
  // If the bank has accepted this refund and the sum does not show it, the money is still on its way.
  return order.bankRefundId !== undefined && bySum.kind !== "done" ? { kind: "pending" } : bySum;
}

/** The state of a refund whose payment has the status "paid", which shows no returned money. */
function standingOfUnreturned(qr: QrState, order: Asked): RefundReading {
  if (order.refundedBeforeKopecks > 0) return { kind: "unknown", problem: "the bank shows no refund where one was done before" };
  if (qr.QrCancelCode === REFUND_REFUSED) return refused(qr);
  return { kind: order.bankRefundId === undefined ? "none" : "pending" };
}

/** It is undocumented whether `Amount` is the sum of the last refund or of all refunds. So the conclusions must hold for both meanings. */
function standingBySum(statedKopecks: number | undefined, order: RefundOrder): RefundReading {
  const { refundedBeforeKopecks: before, amountKopecks: amount } = order;
  if (statedKopecks === before + amount) return { kind: "done" };
  if (before === amount) return unclear();
  if (statedKopecks === before) return { kind: "none" };
  // `Amount` may be the sum of the last refund. Several earlier refunds may include a refund of this sum. A single earlier refund has the
  // sum `before`, so here the stated sum is this refund's.
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
