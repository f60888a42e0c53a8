import type { Endpoint } from "../../http/route.ts";

type HooksCallId = "notify";

/** The only path below `/hooks`. Its last segment is a secret of one installation and one acquirer. */
export const HOOKS_ENDPOINTS: readonly (Endpoint & { id: HooksCallId })[] = [
  {
    id: "notify",
    method: "POST",
    path: "/:acquirer/:secret",
    summary: "A bank tells that a payment has changed",
    description: "Answered within a second, as the bank expects it, without asking anybody. The payment is read again afterwards.",
    answers: [
      { status: 200, description: "Stored, or of no use" },
      { status: 403, description: "Not from the bank" },
      { status: 404, description: "Nobody is notified at this address" },
      { status: 413, description: "The body is larger than 64 KiB" },
      { status: 503, description: "Not stored within a second, or not at all: repeat it" },
    ],
  },
];
