/** The answer to a notification. After any status other than 200 a bank may repeat the notification. */
export interface HooksAnswer {
  status: number;
  body: string;
}

/** The same answer for a wrong secret, a wrong acquirer and a malformed path. */
export const unknownAddress: HooksAnswer = { status: 404, body: "Nobody is notified at this address" };
export const wrongMethod: HooksAnswer = { status: 405, body: "Notifications come by POST" };
export const tooLarge: HooksAnswer = { status: 413, body: "The body is larger than 64 KiB" };
export const fault: HooksAnswer = { status: 503, body: "The notification could not be stored now; repeat it" };
