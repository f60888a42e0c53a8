/** A payment as the till names it; sums in kopecks. */
export interface QrPayment {
  readonly operationId: string;
  readonly amount: number;
}

/** One thing that a till does with a QR payment. */
export type QrStep = { kind: "qr"; title: string; sumKopecks: number; payment: QrPayment } & (
  | { does: "create" }
  /** The buyer pays, and the till asks until the payment is DONE. */
  | { does: "pay" }
  /** Nobody has paid: the payment must end REJECTED. */
  | { does: "cancel" }
  /** Money of a paid payment goes back, and DONE stays. */
  | { does: "refund" }
  /** More than was paid: must be refused without any effect. */
  | { does: "refund-too-much" }
);
