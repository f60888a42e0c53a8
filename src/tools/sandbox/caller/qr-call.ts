import type { Call } from "./call.ts";

/** The three calls of the contract (platform-contracts 5.3). */
export type QrCallName = "create" | "state" | "cancel";

/** What a till says in each of them; the amount is in kopecks, for cancel the sum to give back. */
interface QrPayment {
  readonly amount: number;
  readonly operationId: string;
  readonly accountId: string;
  readonly retailStoreId: string;
}

/** Members that somebody wants to send otherwise than a till would. */
export type QrBody = { readonly [Name in keyof QrPayment]: unknown };

const PATHS: Readonly<Record<QrCallName, string>> = {
  create: "/qr/payment/qr",
  state: "/qr/payment/state",
  cancel: "/qr/payment/cancel",
};

/** A request that is ready to be sent once: its token is used up by it. */
export function qrCall(name: QrCallName, { amount, operationId, accountId, retailStoreId }: QrBody, token: string): Call {
  return {
    method: "POST",
    path: PATHS[name],
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: Buffer.from(JSON.stringify({ amount, operationId, accountId, retailStoreId })),
  };
}
