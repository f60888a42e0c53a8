import { pause, systemClock } from "../../src/kernel/clock.ts";
import { LIMITS } from "../../src/tools/conformance/conformance.ts";
import { BROKEN_KEYS } from "./broken-keys.ts";
import { BROKEN_MONEY } from "./broken-money.ts";
import {
  accountOf,
  answers,
  at,
  bodyOf,
  codeOf,
  firstPosition,
  isFiscal,
  paymentsOf,
  refuses,
  registered,
  signatureOf,
  takes,
} from "./broken-reading.ts";
import { BROKEN_REPEATS } from "./broken-repeats.ts";
import { altered, type BrokenServer, type BrokenServers } from "./broken-vendor.ts";
import type { Fields } from "./double-fields.ts";
import { fiscalError, isSigned } from "./double-fiscal.ts";
import type { Incoming } from "./double-message.ts";
import { pdfOf, receiptOf } from "./double-receipt.ts";
import type { Double } from "./double-server.ts";
import type { Installed } from "./double-vendor.ts";

/** Accepts the operation although its moment is missing. */
const needless = (operation: string) =>
  takes(999, (request) => at(request, operation) && bodyOf(request).name !== undefined && noMoment(request));

function noMoment(request: Incoming): boolean {
  const { moment, openMoment, closeMoment, positions } = bodyOf(request);
  return moment == null && openMoment == null && closeMoment == null && !(Array.isArray(positions) && positions.length === 0);
}

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
  "fiscal/signature/encodings": refuses((request) => /^[0-9a-f]{512}$/.test(signatureOf(request) ?? ""), fiscalError(412, 12017)),
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

/** Accepts calls of accounts in this state. */
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
  "fiscal/answer/receipt-entry": answers("openshift", () => ({ receipt: receiptOf(pdfOf("a report"), "check.pdf") })),
  "fiscal/answer/receipt-pdf": answers("retaildrawercashin", () => ({ receipt: receiptOf(pdfOf("a slip that is cut off").slice(0, -20)) })),
  "fiscal/answer/size": answers("retaildemand", () => ({ receipt: receiptOf(pdfOf("a receipt", "x".repeat(300_000))) })),
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

  "fiscal/content/discount": takes(999, ({ body }) => body.includes('"discount":"ten"')),
  "fiscal/content/vat": takes(51020, ({ body }) => body.includes('"vat":999')),
  "fiscal/content/quantity-decimals": takes(999, ({ body }) => body.includes("2.0000001")),

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

  // A day of the run has two sales, so the third sale of an account belongs to this rule: it is sent several times at
  // once.
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

export const BROKEN_FISCAL: BrokenServers = {
  ...BROKEN_SIGNATURES,
  ...BROKEN_KEYS,
  ...BROKEN_ANSWERS,
  ...BROKEN_BODIES,
  ...BROKEN_WORK,
  ...BROKEN_MONEY,
  ...BROKEN_REPEATS,
};
