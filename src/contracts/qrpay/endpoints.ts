import type { AnswerSpec, Endpoint, HeaderSpec } from "../../http/route.ts";
import { cancelledSchema, codeSchema, errorsSchema, operationSchema, stateSchema } from "./schema.ts";

export type QrCallId = "create" | "state" | "cancel";

const HEADERS: readonly HeaderSpec[] = [
  { name: "Authorization", description: "Bearer and a JSON web token: RS256 with kid; iss, exp, id", required: true },
];

export const QR_ENDPOINTS: readonly (Endpoint & { id: QrCallId })[] = [
  {
    id: "create",
    method: "POST",
    path: "/payment/qr",
    summary: "Make a payment and get the text of its QR code",
    description: "The same operation and amount again get the same text. The sum is in kopecks.",
    headers: HEADERS,
    body: operationSchema,
    answers: [{ status: 200, description: "`data` is the text to draw as a code", body: codeSchema }, ...refusals()],
  },
  {
    id: "state",
    method: "POST",
    path: "/payment/state",
    summary: "Ask how a payment stands",
    description: "DONE and REJECTED are never taken back.",
    headers: HEADERS,
    body: operationSchema,
    answers: [{ status: 200, description: "IN_PROGRESS, DONE or REJECTED", body: stateSchema }, ...refusals()],
  },
  {
    id: "cancel",
    method: "POST",
    path: "/payment/cancel",
    summary: "Cancel a payment, or return money of a paid one",
    description:
      "Before DONE was told the amount is the whole amount, and the payment ends REJECTED. Afterwards it is what goes back to the buyer.",
    headers: HEADERS,
    body: operationSchema,
    answers: [{ status: 200, description: "Cancelled, or the refund is taken", body: cancelledSchema }, ...refusals()],
  },
];

function refusals(): AnswerSpec[] {
  return [
    { status: 400, description: "400: the body is no JSON in UTF-8", body: errorsSchema },
    { status: 401, description: "401: the token is missing, wrong, expired or was used before", body: errorsSchema },
    { status: 403, description: "1001: the solution is not active on the account", body: errorsSchema },
    { status: 404, description: "1002: no such operation at this point of sale", body: errorsSchema },
    { status: 409, description: "1003: the operation has another amount", body: errorsSchema },
    { status: 412, description: "999: a field is missing or wrong; 1004: the amount is not allowed", body: errorsSchema },
    { status: 413, description: "413: the body is larger than 1 MiB", body: errorsSchema },
    { status: 415, description: "415: the body is not sent as JSON", body: errorsSchema },
    { status: 424, description: "1005: the acquirer refused; 1007: it could not be reached, and the work goes on", body: errorsSchema },
    { status: 429, description: "1006: too many calls; repeat it later", body: errorsSchema },
  ];
}
