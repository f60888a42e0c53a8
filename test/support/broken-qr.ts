import { systemClock } from "../../src/kernel/clock.ts";
import { LIMITS } from "../../src/tools/conformance/conformance.ts";
import { bodyOf, codeOf } from "./broken-reading.ts";
import type { BrokenServers } from "./broken-vendor.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import { idOf, type QrDoublePayment, qrError } from "./double-qr.ts";
import type { Break, Double } from "./double-server.ts";

type Call = "qr" | "state" | "cancel";

const isQr = ({ path }: Incoming) => path.startsWith("/qr/");
const at = ({ path }: Incoming, call: Call) => path === `/qr/payment/${call}`;
const created = (): Reply => ({ status: 200, body: JSON.stringify({ operationId: "x", data: "https://qr.example/x" }) });
const state = (status: string): Reply => ({ status: 200, body: JSON.stringify({ operationId: "x", status }) });

/** Shorter limits: the run need not wait long for a key or a payment, but for an answer on a busy machine. */
const HASTY = { ...LIMITS, keysMs: 50, paidMs: 2_000 };

/** Gives a wrong answer to a QR request when the condition holds. */
function qr(
  when: (request: Incoming, reply: Reply, double: Double) => boolean,
  change: Reply | ((reply: Reply) => Reply),
): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) => {
      const reply = await honest(request);
      if (!isQr(request) || !when(request, reply, double)) return reply;
      return typeof change === "function" ? change(reply) : change;
    },
  });
}

/** Accepts a request as if its token were right. A right server answers it with 401. */
function takesToken(when: (token: Token) => boolean): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) => {
      const reply = await honest(request);
      if (!isQr(request) || reply.status !== 401) return reply;
      return when(await tokenOf(request, double)) ? qrError(404, 1002) : reply;
    },
  });
}

interface Token {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  bearer: boolean;
  /** Whether its `kid` names a key of the set. */
  known: boolean;
  /** Whether a key of the set has signed it. */
  signed: boolean;
  /** Whether the server has accepted it before. */
  used: boolean;
}

async function tokenOf(request: Incoming, { qr: server }: Double): Promise<Token> {
  const { header, claims } = await server.read(request);
  const id = idOf(claims);
  return {
    header,
    claims,
    bearer: /^Bearer \S+\.\S+\./.test(request.headers.authorization ?? ""),
    known: server.kids.has(String(header.kid)),
    signed: await server.isSigned(request),
    used: id !== undefined && server.used.has(id),
  };
}

/** Refuses a request whose token a right server accepts. */
function refusesToken(when: (token: Token) => boolean): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) =>
      isQr(request) && when(await tokenOf(request, double)) ? qrError(401, 401) : honest(request),
  });
}

/** Keeps a wrong list of used tokens. */
function keepsIds(status: number, change: (used: Set<string>, id: string) => void): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) => {
      const reply = await honest(request);
      const id = isQr(request) && reply.status === status ? idOf((await tokenOf(request, double)).claims) : undefined;
      if (id !== undefined) change(double.qr.used, id);
      return reply;
    },
  });
}

const isRs256 = ({ header, bearer }: Token) => bearer && header.alg === "RS256";
const nowS = () => systemClock.nowMs() / 1000;

const TOKENS: BrokenServers = {
  "qr/token/accepted": () => ({ limits: HASTY, ...refusesToken(() => true)() }),
  "qr/token/missing": qr((request) => request.headers.authorization === undefined, qrError(403, 1001)),
  "qr/token/algorithm-none": takesToken(({ header }) => header.alg === "none"),
  "qr/token/algorithm-hmac": takesToken(({ header }) => header.alg === "HS256"),
  "qr/token/no-kid": takesToken((token) => isRs256(token) && token.signed && token.header.kid === undefined),
  "qr/token/unknown-kid": takesToken((token) => isRs256(token) && !token.known && token.header.kid !== undefined),
  "qr/token/signature": takesToken((token) => isRs256(token) && token.known && !token.signed),
  "qr/token/issuer": takesToken(({ claims, signed }) => signed && claims.iss === undefined),
  "qr/token/expired": takesToken(({ claims, signed, used }) => signed && !used && Number(claims.exp) < nowS() - 60),
  "qr/token/ahead": takesToken(({ claims, signed }) => signed && Number(claims.iat) > nowS() + 60),
  "qr/token/skew": refusesToken(({ claims }) => Number(claims.exp) < nowS()),
  "qr/token/no-id": takesToken(({ claims, signed }) => signed && idOf(claims) === undefined),
  "qr/token/jti": refusesToken(({ claims }) => claims.id === undefined && claims.jti !== undefined),
  "qr/token/twice": takesToken(({ signed, used }) => signed && used),
  "qr/token/refused-request": keepsIds(400, (used, id) => used.delete(id)),
  "qr/token/kept": keepsIds(415, (used, id) => used.add(id)),

  "qr/key/flood": () => ({
    broken: async (request, honest, double) => {
      if (isQr(request) && !(await tokenOf(request, double)).known) await double.qr.readKeys();
      return honest(request);
    },
  }),
  "qr/key/rotation": () => {
    let firstKid: unknown;
    return {
      limits: HASTY,
      broken: async (request, honest, double) => {
        if (!isQr(request)) return honest(request);
        const { header } = await tokenOf(request, double);
        firstKid ??= header.kid;
        return header.kid === firstKid ? honest(request) : qrError(401, 401);
      },
    };
  },
};

const REQUESTS: BrokenServers = {
  "qr/error/shape": qr((_, reply) => codeOf(reply) === 404, { status: 404, body: '{"error":"Not Found"}' }),
  "qr/error/content-type": qr(
    (_, reply) => codeOf(reply) === 404,
    (reply) => ({ ...reply, type: "application/json" }),
  ),
  "qr/error/words": qr((_, reply) => codeOf(reply) === 404, {
    status: 404,
    body: '{"errors":[{"error":"No","code":404,"errorMessage":"Not found"}]}',
  }),

  "qr/path/served": qr((request) => at(request, "cancel") && request.body.toString() === "{}", qrError(404, 404)),
  "qr/path/unknown": qr((_, reply) => codeOf(reply) === 404, qrError(404, 1002)),
  "qr/path/wrong-method": qr((request, reply) => codeOf(reply) === 405 && request.method === "DELETE", qrError(404, 404)),

  "qr/body/type": qr((_, reply) => codeOf(reply) === 415, qrError(400, 400)),
  "qr/body/too-large": qr((_, reply) => codeOf(reply) === 413, qrError(400, 400)),
  "qr/body/no-json": qr((request, reply) => codeOf(reply) === 400 && request.body.length === 0, qrError(412, 999)),
  "qr/body/no-object": qr(({ body }) => body.toString() === "null", qrError(400, 400)),
  "qr/body/unknown-fields": qr((request) => "brandNew" in bodyOf(request), qrError(412, 999)),
  "qr/body/never-5xx": qr(({ body }) => body.includes("1e999999999"), qrError(500, 500)),

  "qr/required/amount": lacks("amount"),
  "qr/required/operation-id": lacks("operationId"),
  "qr/required/account-id": lacks("accountId"),
  "qr/required/retail-store-id": lacks("retailStoreId"),
  "qr/required/parameter": qr((_, reply) => codeOf(reply) === 999, qrError(412, 999)),

  "qr/amount/zero": qr((request, reply) => codeOf(reply) === 1004 && amountOf(request) === 0, created()),
  "qr/amount/negative": qr((request, reply) => codeOf(reply) === 1004 && amountOf(request) < 0, created()),
  "qr/amount/fraction": qr((request, reply) => codeOf(reply) === 1004 && !Number.isInteger(amountOf(request)), created()),
  "qr/amount/over-limit": qr((request, reply) => codeOf(reply) === 1004 && amountOf(request) > 1e12, created()),
  "qr/amount/notation": qr(({ body }) => body.includes("1000.0"), qrError(409, 1003)),
};

const PAYMENTS: BrokenServers = {
  "qr/create/answer": answers("qr", () => ({ data: undefined })),
  "qr/create/operation": answers("qr", () => ({ operationId: "another" })),
  "qr/create/sum": answers("qr", ({ data }) => ({ data: String(data).replace(/sum=\d+/, "sum=1") })),
  "qr/create/repeat": answers("qr", ({ data }, { times }) => (times > 1 ? { data: `${String(data)}&again` } : {})),
  "qr/create/conflict": qr((_, reply) => codeOf(reply) === 1003, created()),
  "qr/create/refused": qr((_, reply) => codeOf(reply) === 1005, created()),
  "qr/create/unreachable": qr((_, reply) => codeOf(reply) === 1007, created()),

  "qr/state/unknown": qr((request, reply) => at(request, "state") && codeOf(reply) === 1002, qrError(404, 404)),
  "qr/state/waiting": answers("state", () => ({ status: "WAITING" })),
  "qr/state/operation": answers("state", () => ({ operationId: undefined })),
  "qr/state/refused": qr((request, reply) => codeOf(reply) === 1002 && amountOf(request) === 1004, state("REJECTED")),
  "qr/state/unreachable": qr((request) => at(request, "state") && amountOf(request) === 1005, state("REJECTED")),

  "qr/cancel/amount": qr((request, reply) => at(request, "cancel") && codeOf(reply) === 1004, { status: 200, body: "{}" }),
  "qr/cancel/rejected": answers("state", ({ status }) => ({ status: status === "REJECTED" ? "IN_PROGRESS" : status })),
  "qr/cancel/again": whole("cancel", (_, { payment }) => (payment?.cancelled === true ? qrError(404, 1002) : undefined)),

  "qr/account/unknown": qr((request, reply, { vendor }) => codeOf(reply) === 1001 && !vendor.installed.has(accountOf(request)), created()),
  "qr/account/stopped": qr(
    (request, reply, { vendor }) => codeOf(reply) === 1001 && vendor.installed.get(accountOf(request))?.state === "suspended",
    created(),
  ),
  "qr/account/other-store": qr(
    (request, reply, double) =>
      at(request, "state") && codeOf(reply) === 1002 && paymentOf(request, double)?.accountId === accountOf(request),
    state("IN_PROGRESS"),
  ),
  "qr/account/other-account": qr(
    (request, reply, double) =>
      at(request, "state") && codeOf(reply) === 1002 && ![undefined, accountOf(request)].includes(paymentOf(request, double)?.accountId),
    state("IN_PROGRESS"),
  ),

  "qr/paid/done": () => ({
    limits: HASTY,
    ...answers("state", ({ status }) => ({ status: status === "DONE" ? "IN_PROGRESS" : status }))(),
  }),
  "qr/paid/stays": staysNot(),
  "qr/paid/declined": () => ({
    limits: HASTY,
    ...answers("state", ({ status }, { payment }) => (payment?.amount === 1001 ? { status: "IN_PROGRESS" } : { status }))(),
  }),
  "qr/paid/while-cancelling": answers("state", ({ status }, { payment }) =>
    payment?.amount === 1006 && payment.cancelled ? { status: "DONE" } : { status },
  ),
  "qr/paid/refund-part": whole("cancel", (request) => (amountOf(request) === 800 ? qrError(412, 1004) : undefined)),
  "qr/paid/refund-whole": whole("cancel", (_, { payment }) => (payment?.amount === 3000 ? qrError(412, 1004) : undefined)),
  "qr/paid/done-after-refund": answers("state", ({ status }, { payment }) =>
    payment?.amount === 2000 && payment.refunds.length > 0 ? { status: "REJECTED" } : { status },
  ),
  "qr/paid/refund-excess": whole("cancel", (request) => (amountOf(request) === 4001 ? { status: 200, body: "{}" } : undefined)),
  "qr/paid/refund-twice": whole("cancel", (request, { payment }) =>
    payment?.amount === 5000 && payment.refunds.some(({ amount }) => amount === amountOf(request)) ? qrError(412, 1004) : undefined,
  ),
  "qr/paid/refund-refused": qr((request, reply) => at(request, "cancel") && codeOf(reply) === 1005, { status: 200, body: "{}" }),
};

export const BROKEN_QR: BrokenServers = { ...TOKENS, ...REQUESTS, ...PAYMENTS };

const amountOf = (request: Incoming) => Number(bodyOf(request).amount);
const accountOf = (request: Incoming) => String(bodyOf(request).accountId);

/** The payment of this operation, even when another account or point of sale is named. */
function paymentOf(request: Incoming, { qr: server }: Double): QrDoublePayment | undefined {
  const { operationId } = bodyOf(request);
  return [...server.payments].find(([key]) => key.endsWith(` ${String(operationId)}`))?.[1];
}

/** Accepts a create without this field. */
function lacks(field: string): () => { broken: Break } {
  return qr((request, reply) => at(request, "qr") && codeOf(reply) === 999 && isWithout(request, field), created());
}

function isWithout(request: Incoming, field: string): boolean {
  const names = Object.keys(bodyOf(request));
  return names.length === 3 && !names.includes(field);
}

/** Answers REJECTED for a paid payment, from the second call after the first DONE on. */
function staysNot(): () => { broken: Break } {
  return () => {
    let told = 0;
    return answers("state", ({ status }, { payment }) => {
      if (payment?.amount === 1000 && status === "DONE") told += 1;
      return { status: told > 2 && payment?.amount === 1000 ? "REJECTED" : status };
    })();
  };
}

interface Seen {
  payment: QrDoublePayment | undefined;
  /** How often this call of this operation came, including this time. */
  times: number;
}

/** Answers a call itself, or leaves it to the right server. */
function whole(call: Call, judge: (request: Incoming, seen: Omit<Seen, "times">) => Reply | undefined): () => { broken: Break } {
  return () => ({
    broken: async (request, honest, double) =>
      (at(request, call) ? judge(request, { payment: paymentOf(request, double) }) : undefined) ?? honest(request),
  });
}

/** Changes members of the right answer to a call. */
function answers(call: Call, change: (answer: Record<string, unknown>, seen: Seen) => Record<string, unknown>): () => { broken: Break } {
  return () => {
    const times = new Map<unknown, number>();
    return {
      broken: async (request, honest, double) => {
        const reply = await honest(request);
        if (!at(request, call) || reply.status !== 200) return reply;
        const { operationId } = bodyOf(request);
        times.set(operationId, (times.get(operationId) ?? 0) + 1);
        const answer = objectIn(Buffer.from(reply.body));
        const seen = { payment: paymentOf(request, double), times: times.get(operationId) ?? 0 };
        return { ...reply, body: JSON.stringify({ ...answer, ...change(answer, seen) }) };
      },
    };
  };
}
