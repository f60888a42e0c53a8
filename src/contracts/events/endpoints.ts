import { MAX_BODY_WORDS } from "../../http/raw-body.ts";
import type { Endpoint } from "../../http/route.ts";
import { errorsSchema, notificationSchema } from "./schema.ts";

type EventsCallId = "notify";

/** The only path below `/webhooks`. Notifications are not signed: only the secret in the path proves them (json-api 9.2, D19). */
export const EVENTS_ENDPOINTS: readonly (Endpoint & { id: EventsCallId })[] = [
  {
    id: "notify",
    method: "POST",
    path: "/:secret",
    summary: "Objects of the account have changed",
    description:
      "Answered within a second, once it is stored; the objects are read again afterwards. A repeat with the same `requestId` in the query is not stored again. The body of a stock webhook is answered and passed over.",
    body: notificationSchema,
    answers: [
      { status: 204, description: "Stored, known already, or of no use: types of which nothing is kept, a suspended installation" },
      { status: 400, description: "The body is wrong; `parameter` names the field", body: errorsSchema },
      { status: 404, description: "Nobody is notified at this address", body: errorsSchema },
      { status: 413, description: `The body is larger than ${MAX_BODY_WORDS}`, body: errorsSchema },
      { status: 415, description: "The body is no JSON", body: errorsSchema },
      { status: 503, description: "Not stored within a second, or not at all: repeat it", body: errorsSchema },
    ],
  },
];
