import { LIMITS } from "../../src/conformance/conformance.ts";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { altered, type BrokenServer, type BrokenServers, instead } from "./broken-vendor.ts";
import { fiscalError, isSigned, receiptOf } from "./double-fiscal.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import type { Double } from "./double-server.ts";
import type { Installed } from "./double-vendor.ts";

type Fields = Record<string, unknown>;

const bodyOf = ({ body }: Incoming) => objectIn(body);
const at = ({ path }: Incoming, operation: string) => path.endsWith(`/1/${operation}`);
const isFiscal = ({ path }: Incoming) => path.startsWith("/fiscal/");
const signatureOf = ({ headers }: Incoming) => headers["x-platform-fiscal-signature"];
const accountOf = ({ headers }: Incoming) => headers["x-platform-fiscal-account-id"] ?? "";
const firstPosition = (request: Incoming): Fields => ({ ...(bodyOf(request).positions as Fields[] | undefined)?.[0] });
const paymentsOf = (request: Incoming): Fields => ({ ...(bodyOf(request).payments as Fields | undefined) });
const codeOf = ({ body }: Reply) => ((objectIn(Buffer.from(body)).errors ?? []) as { code: number }[])[0]?.code;

/** An answer of somebody who registered what he should not have. */
function registered(changes: Fields = {}): Reply {
  const answer = {
    fnNumber: "9999078000000000",
    kktRegNumber: "0000000042042817",
    fiscalDocNumber: "1",
    fiscalDocSign: "1",
    receipt: receiptOf("%PDF-1.4"),
  };
  return { status: 200, body: JSON.stringify({ ...answer, time: "2026-11-28 12:00:00", ...changes }) };
}

/** Takes what a right server refuses for that reason. */
const takes = (code: number, when: (request: Incoming) => boolean = () => true) =>
  altered((reply, request) => (codeOf(reply) === code && when(request) ? registered() : reply));

/** Refuses what a right server takes. */
const refuses = (when: (request: Incoming) => boolean, error: Reply = fiscalError(412, 999)) =>
  instead(
    (request) => isFiscal(request) && when(request),
    () => error,
  );

/** Changes fields of what was registered. */
const answers = (operation: string | undefined, change: (answer: Fields) => Fields) =>
  altered((reply, request) => {
    if (reply.status !== 200 || !isFiscal(request) || (operation !== undefined && !at(request, operation))) return reply;
    const answer = objectIn(Buffer.from(reply.body));
    return { ...reply, body: JSON.stringify({ ...answer, ...change(answer) }) };
  });

/** Takes the operation although its moment is missing. */
const needless = (operation: string) =>
  takes(999, (request) => at(request, operation) && bodyOf(request).name !== undefined && noMoment(request));

function noMoment(request: Incoming): boolean {
  const { moment, openMoment, closeMoment, positions } = bodyOf(request);
  return moment == null && openMoment == null && closeMoment == null && !(Array.isArray(positions) && positions.length === 0);
}

/** Judges by how often the same body came; the stored answer is there from the second time on. */
const counting = (judge: (times: number, request: Incoming, reply: Reply, double: Double) => Reply | undefined) => () => {
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

/** The bodies that came three times, in their order: one after the other first, then all at once. */
const atThirdTime = (which: number, judge: (reply: Reply, double: Double) => Reply | undefined) => () => {
  let seen = 0;
  return counting((times, _request, reply, double) => {
    if (times !== 3) return undefined;
    seen += 1;
    return seen === which ? judge(reply, double) : undefined;
  })();
};

const otherTime = (reply: Reply): Reply => ({
  ...reply,
  body: JSON.stringify({ ...objectIn(Buffer.from(reply.body)), time: "2020-01-01 00:00:00" }),
});

const BROKEN_SIGNATURES: BrokenServers = {
  "fiscal/signature/accepted": refuses(() => true, fiscalError(412, 12017)),
  "fiscal/signature/missing": takes(12017, (request) => signatureOf(request) === undefined && "sum" in bodyOf(request)),
  "fiscal/signature/nonsense": takes(12017, (request) => signatureOf(request) === "QUJD"),
  "fiscal/signature/wrong-key": () => ({
    broken: async (request, honest, double) => {
      const reply = await honest(request);
      return codeOf(reply) === 12017 && (signatureOf(request) ?? "").length > 100 && !isOfOtherBytes(request, double)
        ? registered()
        : reply;
    },
  }),
  "fiscal/signature/other-bytes": () => ({
    broken: async (request, honest, double) => (isFiscal(request) && isOfOtherBytes(request, double) ? registered() : honest(request)),
  }),
  "fiscal/signature/before-content": altered((reply, request) =>
    codeOf(reply) === 12017 && request.body.toString() === "{ broken" ? fiscalError(400, 50400) : reply,
  ),
  "fiscal/signature/raw-bytes": refuses(({ body }) => body.toString().startsWith("  "), fiscalError(412, 12017)),
  "fiscal/signature/encodings": refuses((request) => /^[0-9a-f]{256}$/.test(signatureOf(request) ?? ""), fiscalError(412, 12017)),
  "fiscal/signature/gzip": refuses(({ headers }) => headers["content-encoding"] === "gzip", fiscalError(412, 12017)),

  "fiscal/path/served": refuses((request) => at(request, "closeshift") && request.method === "PUT", fiscalError(404, 50404)),
  "fiscal/path/return-alias": refuses((request) => at(request, "retailsalesreturn"), fiscalError(404, 50404)),
  "fiscal/path/doubled-slash": refuses(({ path }) => path.includes("//"), fiscalError(404, 50404)),
  "fiscal/path/unknown": altered((reply) => (codeOf(reply) === 50404 ? fiscalError(404, 50400) : reply)),
  "fiscal/path/wrong-method": altered((reply) => (codeOf(reply) === 50405 ? fiscalError(404, 50404) : reply)),

  "fiscal/account/unknown": refuses((request) => accountOf(request) === "" && signatureOf(request) !== undefined, fiscalError(500, 50500)),
  "fiscal/account/foreign-key": () => ({
    broken: async (request, honest, double) => {
      const reply = await honest(request);
      const known = double.vendor.byRegistration(accountOf(request));
      const byAnother = [...double.vendor.installed.values()].some((other) => isSigned(other, signatureOf(request) ?? "", request.body));
      return codeOf(reply) === 12017 && known?.state === "active" && known.key !== undefined && byAnother ? fiscalError(412, 999) : reply;
    },
  }),
  "fiscal/account/header-names": refuses(({ headers }) => headers["x-lognex-fiscal-signature"] !== undefined),
  "fiscal/account/suspended": open("suspended"),
  "fiscal/account/uninstalled": open("uninstalled"),
  "fiscal/account/former-key": () => ({
    broken: async (request, honest, double) => {
      const account = isFiscal(request) ? double.vendor.byRegistration(accountOf(request)) : undefined;
      if (account !== undefined) delete account.formerKey;
      return honest(request);
    },
  }),
  "fiscal/account/unreadable-key": () => ({
    broken: async (request, honest, double) => {
      const account = isFiscal(request) ? double.vendor.byRegistration(accountOf(request)) : undefined;
      return account?.state === "active" && account.key === undefined ? fiscalError(412, 999) : honest(request);
    },
  }),
  "fiscal/account/resumed": () => ({
    broken: async (request, honest) => {
      const { additional: _, ...body } = bodyOf(request);
      return body.cause === "Resume" ? honest({ ...request, body: Buffer.from(JSON.stringify(body)) }) : honest(request);
    },
  }),
};

/** Lets accounts in that are in that state. */
function open(state: Installed["state"]): () => BrokenServer {
  return () => ({
    broken: async (request, honest, double) => {
      const stopped = isFiscal(request) && double.vendor.byRegistration(accountOf(request))?.state === state;
      return stopped ? fiscalError(412, 999) : honest(request);
    },
  });
}

function isOfOtherBytes(request: Incoming, double: Double): boolean {
  const account = double.vendor.byRegistration(accountOf(request));
  const bytes = Buffer.from(JSON.stringify({ ...bodyOf(request), name: "00009" }));
  return account !== undefined && "sum" in bodyOf(request) && isSigned(account, signatureOf(request) ?? "", bytes);
}

const withT = ({ time }: Fields) => ({ time: String(time).replace(" ", "T") });

const BROKEN_ANSWERS: BrokenServers = {
  "fiscal/answer/openshift": answers("openshift", withT),
  "fiscal/answer/retaildemand": answers("retaildemand", withT),
  "fiscal/answer/retaisalesreturn": answers("retaisalesreturn", withT),
  "fiscal/answer/retaildrawercashin": answers("retaildrawercashin", withT),
  "fiscal/answer/retaildrawercashout": answers("retaildrawercashout", withT),
  "fiscal/answer/closeshift": answers("closeshift", withT),
  "fiscal/answer/register-number": answers(undefined, () => ({ kktRegNumber: "42042817" })),
  "fiscal/answer/content-type": altered((reply, request) => (at(request, "retaildrawercashin") ? { ...reply, type: "text/html" } : reply)),
  "fiscal/answer/receipt": answers("closeshift", () => ({ receipt: Buffer.from("%PDF-1.4").toString("base64") })),
  "fiscal/answer/receipt-entry": answers("openshift", () => ({ receipt: receiptOf("%PDF-1.4", "check.pdf") })),
  "fiscal/answer/size": answers("retaildemand", () => ({ receipt: receiptOf(`%PDF-1.4${"x".repeat(300_000)}`) })),
  "fiscal/answer/time": answers("retaildemand", () => ({
    time: new Date(systemClock.nowMs()).toISOString().slice(0, 19).replace("T", " "),
  })),
  "fiscal/answer/cash-numbers": answers("retaildrawercashout", () => ({ fiscalDocNumber: "17" })),
  "fiscal/answer/numbers": answers("retaisalesreturn", ({ fiscalDocNumber }) => ({ fiscalDocNumber: String(Number(fiscalDocNumber) + 1) })),
  "fiscal/answer/one-drive": answers("retaildrawercashin", () => ({ fnNumber: "9999078999999999" })),
  "fiscal/answer/shift-number": answers("closeshift", () => ({ shiftNumber: "7" })),
  "fiscal/answer/totals": answers("closeshift", () => ({ chequesTotal: 2 })),
};

const BROKEN_BODIES: BrokenServers = {
  "fiscal/required/openshift": needless("openshift"),
  "fiscal/required/retaildemand": needless("retaildemand"),
  "fiscal/required/retaisalesreturn": needless("retaisalesreturn"),
  "fiscal/required/retaildrawercashin": needless("retaildrawercashin"),
  "fiscal/required/retaildrawercashout": needless("retaildrawercashout"),
  "fiscal/required/closeshift": needless("closeshift"),
  "fiscal/required/positions": takes(
    999,
    (request) => Array.isArray(bodyOf(request).positions) && (bodyOf(request).positions as []).length === 0,
  ),
  "fiscal/required/position": takes(999, (request) => "quantity" in firstPosition(request) && !("price" in firstPosition(request))),
  "fiscal/required/parameter": altered((reply) => (codeOf(reply) === 999 ? fiscalError(412, 999) : reply)),

  "fiscal/content/no-json": altered((reply, { body }) => (codeOf(reply) === 50400 && body.length === 0 ? fiscalError(500, 50500) : reply)),
  "fiscal/content/no-object": refuses(({ body }) => body.toString() === "null", fiscalError(500, 50500)),
  "fiscal/content/type": altered((reply) => (codeOf(reply) === 50415 ? fiscalError(412, 999) : reply)),
  "fiscal/content/too-large": altered((reply) => (codeOf(reply) === 50413 ? fiscalError(400, 50400) : reply)),
  "fiscal/content/large": refuses(({ body }) => body.length > 500_000, fiscalError(413, 50413)),
  "fiscal/content/ids": takes(999, ({ body }) => body.includes("../../etc")),
  "fiscal/content/numbers": takes(999, ({ body }) => body.includes("2026-02-31")),

  "fiscal/tolerance/unknown-fields": refuses((request) => "brandNew" in bodyOf(request)),
  "fiscal/tolerance/optional-fields": refuses((request) => bodyOf(request).phone === null),
  "fiscal/tolerance/numbers-and-texts": refuses((request) => typeof firstPosition(request).quantity === "string"),
  "fiscal/tolerance/store-spelling": refuses((request) => "retailStore" in bodyOf(request)),
  "fiscal/tolerance/bare-references": refuses((request) => "meta" in bodyOf(request) && !("href" in (bodyOf(request).meta as object))),
  "fiscal/tolerance/sync-id": refuses(({ body }) => body.includes("/syncid/")),
  "fiscal/tolerance/weighed-goods": refuses((request) => firstPosition(request).quantity === 0.356),
  "fiscal/tolerance/mark-up": refuses((request) => String(firstPosition(request).discount).startsWith("-")),
  "fiscal/tolerance/marks": refuses(({ body }) => body.includes('"cis"')),
  "fiscal/tolerance/contact": refuses(({ body }) => body.includes("call me")),
};

const BROKEN_WORK: BrokenServers = {
  "fiscal/variety/ways-to-pay": refuses((request) => paymentsOf(request).qrSum === "109.80", fiscalError(412, 50001)),
  "fiscal/variety/vat": refuses((request) => firstPosition(request).vatEnabled === false, fiscalError(412, 51020)),
  "fiscal/variety/pack-and-order": refuses((request) => "customerOrder" in bodyOf(request)),
  "fiscal/variety/several-positions": refuses((request) => ((bodyOf(request).positions ?? []) as []).length > 16),
  "fiscal/variety/late-sale": refuses((request) => Date.parse(String(bodyOf(request).moment)) < systemClock.nowMs() - 12 * 3_600_000),
  "fiscal/variety/free-return": refuses((request) => at(request, "retaisalesreturn") && !("demand" in bodyOf(request))),

  "fiscal/shift/sale-without-shift": altered((reply, request) =>
    codeOf(reply) === 51001 && at(request, "retaildemand") ? fiscalError(500, 50500) : reply,
  ),
  "fiscal/shift/close-without-shift": takes(51001, (request) => at(request, "closeshift")),
  "fiscal/shift/second-open": takes(51003),
  "fiscal/shift/foreign-shift": takes(50010),
  "fiscal/shift/next-shift": answers("openshift", () => ({ shiftNumber: "1" })),

  "fiscal/amounts/payments-differ": takes(50001, (request) => paymentsOf(request).cashSum === "109.70"),
  "fiscal/amounts/small-difference": refuses((request) => paymentsOf(request).cashSum === "109.71", fiscalError(412, 50001)),
  "fiscal/amounts/qr-alone": takes(
    50001,
    (request) => paymentsOf(request).cardSum !== undefined && paymentsOf(request).qrSum !== undefined,
  ),
  "fiscal/amounts/advance-alone": takes(50001, (request) => paymentsOf(request).advanceSum !== undefined),
  "fiscal/amounts/vat-on-top": refuses((request) => paymentsOf(request).cashSum === "120.78", fiscalError(412, 50001)),
  "fiscal/amounts/kopecks": takes(999, ({ body }) => body.includes("54.905")),
  "fiscal/amounts/vat-20": takes(51020),
  "fiscal/amounts/more-marks-than-pieces": takes(50001, (request) => ((firstPosition(request).marks ?? []) as []).length > 1),
  "fiscal/amounts/cash-short": takes(51011),

  "fiscal/repeat/same-answer": counting((times, request, reply) =>
    times === 2 && at(request, "retaildrawercashin") ? otherTime(reply) : undefined,
  ),
  "fiscal/repeat/registered-once": atThirdTime(1, (_reply, double) => void double.fiscal.skipNumber()),
  "fiscal/repeat/written-differently": refuses(({ body }) => body.includes("\n"), fiscalError(409, 50002)),
  "fiscal/repeat/other-content": takes(50002, ({ body }) => body.includes('"164.70"')),
  "fiscal/repeat/other-id-type": takes(50002, ({ body }) => body.includes('"sync"')),
  "fiscal/repeat/after-refusal": () => {
    const refused = new Set<unknown>();
    return {
      broken: async (request, honest) => {
        const id = JSON.stringify(bodyOf(request).meta);
        if (refused.has(id)) return fiscalError(409, 50002);
        const reply = await honest(request);
        if (codeOf(reply) === 50001) refused.add(id);
        return reply;
      },
    };
  },
  "fiscal/repeat/refused-not-registered": counting((_times, _request, reply, double) =>
    codeOf(reply) === 50001 ? void double.fiscal.skipNumber() : undefined,
  ),
  "fiscal/repeat/at-once": atThirdTime(2, otherTime),
  "fiscal/repeat/shift": counting((times, request) => (times === 2 && at(request, "openshift") ? fiscalError(412, 51003) : undefined)),
  "fiscal/repeat/accounts-apart": () => {
    const known = new Map<string, { account: string; reply: Reply }>();
    return {
      broken: async (request, honest) => {
        const id = JSON.stringify(bodyOf(request).meta);
        const other = at(request, "retaildemand") ? known.get(id) : undefined;
        if (other !== undefined && other.account !== accountOf(request)) return other.reply;
        const reply = await honest(request);
        if (reply.status === 200 && at(request, "retaildemand")) known.set(id, { account: accountOf(request), reply });
        return reply;
      },
    };
  },

  "fiscal/error/shape": altered((reply, request) =>
    isFiscal(request) && reply.status === 404 ? { ...reply, body: '{"error":"Not Found"}' } : reply,
  ),
  "fiscal/error/status": altered((reply, request) => (isFiscal(request) && reply.status === 404 ? { ...reply, status: 200 } : reply)),
  "fiscal/error/content-type": altered((reply, request) =>
    isFiscal(request) && reply.status === 404 ? { ...reply, type: "application/json" } : reply,
  ),
  "fiscal/error/words": altered((reply, request) =>
    isFiscal(request) && reply.status === 404
      ? { ...reply, body: '{"errors":[{"error":"No","code":50404,"error_message":"Not found"}]}' }
      : reply,
  ),

  // A day has two sales: the third of an account comes with others.
  "fiscal/timing/at-once": () => {
    const sales = new Map<string, number>();
    return {
      broken: async (request, honest) => {
        if (at(request, "retaildemand")) sales.set(accountOf(request), (sales.get(accountOf(request)) ?? 0) + 1);
        return at(request, "retaildemand") && sales.get(accountOf(request)) === 3 ? fiscalError(424, 50020) : honest(request);
      },
    };
  },
  "fiscal/timing/nine-seconds": () => ({
    limits: { ...LIMITS, fiscalMs: 20 },
    broken: async (request, honest) => {
      if (at(request, "retaildemand")) await pause(systemClock, 40);
      return honest(request);
    },
  }),
};

export const BROKEN_FISCAL: BrokenServers = { ...BROKEN_SIGNATURES, ...BROKEN_ANSWERS, ...BROKEN_BODIES, ...BROKEN_WORK };
