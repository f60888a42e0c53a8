import { altered, instead } from "./broken-vendor.ts";
import type { Fields } from "./double-fields.ts";
import { fiscalError } from "./double-fiscal.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import { pdfOf, receiptOf } from "./double-receipt.ts";
import type { Double } from "./double-server.ts";

export const bodyOf = ({ body }: Incoming) => objectIn(body);
export const at = ({ path }: Incoming, operation: string) => path.endsWith(`/1/${operation}`);
export const isFiscal = ({ path }: Incoming) => path.startsWith("/fiscal/");
export const signatureOf = ({ headers }: Incoming) => headers["x-platform-fiscal-signature"];
export const accountOf = ({ headers }: Incoming) => headers["x-platform-fiscal-account-id"] ?? "";
export const firstPosition = (request: Incoming): Fields => ({ ...(bodyOf(request).positions as Fields[] | undefined)?.[0] });
export const paymentsOf = (request: Incoming): Fields => ({ ...(bodyOf(request).payments as Fields | undefined) });
export const codeOf = ({ body }: Reply) => ((objectIn(Buffer.from(body)).errors ?? []) as { code: number }[])[0]?.code;

/** The answer of a server that has registered a document although it should not. */
export function registered(changes: Fields = {}): Reply {
  const answer = {
    fnNumber: "9999078000000000",
    kktRegNumber: "0000000042042817",
    fiscalDocNumber: "1",
    fiscalDocSign: "1",
    receipt: receiptOf(pdfOf("nothing")),
  };
  return { status: 200, body: JSON.stringify({ ...answer, time: "2026-11-28 12:00:00", ...changes }) };
}

/** Accepts what a right server refuses with this code. */
export const takes = (code: number, when: (request: Incoming) => boolean = () => true) =>
  altered((reply, request) => (codeOf(reply) === code && when(request) ? registered() : reply));

/** Refuses what a right server accepts. */
export const refuses = (when: (request: Incoming) => boolean, error: Reply = fiscalError(412, 999)) =>
  instead(
    (request) => isFiscal(request) && when(request),
    () => error,
  );

/** Changes fields in the answer about a registered document. */
export const answers = (operation: string | undefined, change: (answer: Fields) => Fields) =>
  altered((reply, request) => {
    if (reply.status !== 200 || !isFiscal(request) || (operation !== undefined && !at(request, operation))) return reply;
    const answer = objectIn(Buffer.from(reply.body));
    return { ...reply, body: JSON.stringify({ ...answer, ...change(answer) }) };
  });

/**
 * Lets a judge replace the right answer to a request. `times` says how often the same body has come; from 2 on, the right answer is the
 * stored one.
 */
export const counting = (judge: (times: number, request: Incoming, reply: Reply, double: Double) => Reply | undefined) => () => {
  const times = new Map<string, number>();
  return {
    broken: async (request: Incoming, honest: (asked: Incoming) => Promise<Reply>, double: Double) => {
      const reply = await honest(request);
      if (!isFiscal(request)) return reply;
      const key = `${request.path} ${accountOf(request)} ${request.body.toString("base64")}`;
      times.set(key, (times.get(key) ?? 0) + 1);
      return judge(times.get(key) ?? 0, request, reply, double) ?? reply;
    },
  };
};

/**
 * Calls the judge when a body comes for the third time, but only for one body: `which` counts the bodies that have come three times. The
 * run sends body 1 three times in turn, and body 2 three times at once.
 */
export const atThirdTime = (which: number, judge: (reply: Reply, double: Double) => Reply | undefined) => () => {
  let seen = 0;
  return counting((times, _request, reply, double) => {
    if (times !== 3) return undefined;
    seen += 1;
    return seen === which ? judge(reply, double) : undefined;
  })();
};

export const otherTime = (reply: Reply): Reply => ({
  ...reply,
  body: JSON.stringify({ ...objectIn(Buffer.from(reply.body)), time: "2020-01-01 00:00:00" }),
});
