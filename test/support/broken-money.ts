import { accountOf, at, bodyOf, firstPosition, paymentsOf, refuses, registered, takes } from "./broken-reading.ts";
import type { BrokenServer, BrokenServers } from "./broken-vendor.ts";
import type { Fields } from "./double-fields.ts";
import { fiscalError } from "./double-fiscal.ts";
import type { Reply } from "./double-message.ts";

/** Gives this wrong answer to cash out of 109.80 when the sale before it was paid in this way. */
const cashOutAfter = (paid: (payments: Fields) => boolean, reply: Reply) => (): BrokenServer => {
  const last = new Map<string, Fields>();
  return {
    broken: async (request, honest) => {
      if (at(request, "retaildemand")) last.set(accountOf(request), paymentsOf(request));
      const isCashOut = at(request, "retaildrawercashout") && bodyOf(request).sum === "10980";
      return isCashOut && paid(last.get(accountOf(request)) ?? {}) ? reply : honest(request);
    },
  };
};

export const BROKEN_MONEY: BrokenServers = {
  "fiscal/amounts/payments-differ": takes(50001, (request) => at(request, "retaildemand") && paymentsOf(request).cashSum === "109.70"),
  "fiscal/amounts/return-differs": takes(50001, (request) => at(request, "retaisalesreturn")),
  "fiscal/amounts/small-difference": refuses((request) => paymentsOf(request).cashSum === "109.71", fiscalError(412, 50001)),
  "fiscal/amounts/qr-alone": takes(
    50001,
    (request) => paymentsOf(request).cardSum !== undefined && paymentsOf(request).qrSum !== undefined,
  ),
  "fiscal/amounts/advance-alone": takes(50001, (request) => paymentsOf(request).advanceSum !== undefined),
  "fiscal/amounts/vat-on-top": refuses((request) => paymentsOf(request).cashSum === "120.78", fiscalError(412, 50001)),
  "fiscal/amounts/kopecks": takes(999, ({ body }) => body.includes("54.905")),
  "fiscal/amounts/vat-20": takes(51020),
  "fiscal/amounts/more-marks-than-pieces": takes(50001, (request) => ((firstPosition(request).marks ?? []) as []).length > 1),
  "fiscal/amounts/cash-short": takes(51011),

  "fiscal/vat/return-at-20": refuses(
    (request) => at(request, "retaisalesreturn") && firstPosition(request).vat === 20,
    fiscalError(412, 51020),
  ),
  "fiscal/vat/none-on-top": refuses(
    (request) =>
      bodyOf(request).vatIncluded === false && firstPosition(request).vatEnabled === false && paymentsOf(request).cashSum === "109.80",
    fiscalError(412, 50001),
  ),
  "fiscal/vat/rounding": takes(50001, (request) => paymentsOf(request).cashSum === "9.00"),
  "fiscal/vat/line-rounding": takes(50001, (request) => paymentsOf(request).cashSum === "3.60"),

  "fiscal/drawer/non-cash": cashOutAfter(({ cardSum }) => cardSum === "109.80", registered()),
  "fiscal/drawer/prepaid": cashOutAfter(({ prepaymentCashSum }) => prepaymentCashSum !== undefined, registered()),
  // Registers the first cash out of 200.00. Before it, the same cash in of 100.00 came twice.
  "fiscal/drawer/repeat": () => {
    let asked = 0;
    return {
      broken: async (request, honest) => {
        if (at(request, "retaildrawercashout") && bodyOf(request).sum === "20000") asked += 1;
        return asked === 1 && bodyOf(request).sum === "20000" ? registered() : honest(request);
      },
    };
  },
  "fiscal/drawer/scale": cashOutAfter(({ cashSum }) => cashSum === "109.80", fiscalError(412, 51011)),
};
