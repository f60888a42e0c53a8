/** The values by which the till names a payment. The amount is in kopecks. */
export interface QrPayment {
  readonly operationId: string;
  readonly amount: number;
}

/** One thing that a till does with a QR payment. */
export type QrStep = { kind: "qr"; title: string; sumKopecks: number; payment: QrPayment } & (
  | { does: "create" }
  /** The buyer pays, and the till asks until the payment is DONE. */
  | { does: "pay" }
  /** The till cancels a payment that nobody has paid. The payment must end REJECTED. */
  | { does: "cancel" }
  /** The till gives the money of a paid payment back. The state must stay DONE. */
  | { does: "refund" }
  /** The till gives back more than was paid. This must be refused without any effect. */
  | { does: "refund-too-much" }
);
