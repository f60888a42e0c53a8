import type { Call } from "./call.ts";

/** The three calls of the QR contract (platform-contracts 5.3). */
export type QrCallName = "create" | "state" | "cancel";

/** The members of each call. `amount` is in kopecks; in `cancel` it is the refund. */
interface QrPayment {
  readonly amount: number;
  readonly operationId: string;
  readonly accountId: string;
  readonly retailStoreId: string;
}

/** The members of a call with any values, even values that a till would not send. */
export type QrBody = { readonly [Name in keyof QrPayment]: unknown };

const PATHS: Readonly<Record<QrCallName, string>> = {
  create: "/qr/payment/qr",
  state: "/qr/payment/state",
  cancel: "/qr/payment/cancel",
};

/** Returns a request for one send only: each token is accepted once. */
export function qrCall(name: QrCallName, { amount, operationId, accountId, retailStoreId }: QrBody, token: string): Call {
  return {
    method: "POST",
    path: PATHS[name],
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: Buffer.from(JSON.stringify({ amount, operationId, accountId, retailStoreId })),
  };
}
