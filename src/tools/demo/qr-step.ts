/** The values that identify a payment in a till's calls. The amount is in kopecks. */
export interface QrPayment {
  readonly operationId: string;
  readonly amount: number;
}

export type QrStep = { kind: "qr"; title: string; sumKopecks: number; payment: QrPayment } & (
  | { does: "create" }
  /** The buyer pays, and the till asks until the payment is DONE. */
  | { does: "pay" }
  /** The till cancels an unpaid payment, which must end REJECTED. */
  | { does: "cancel" }
  /** The till refunds a paid payment. The state must stay DONE. */
  | { does: "refund" }
  /** The till refunds more than was paid. The server must refuse without any effect. */
  | { does: "refund-too-much" }
);
