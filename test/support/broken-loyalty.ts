import { BROKEN_LOYALTY_KEYS, before, isLoyalty, loyalty } from "./broken-loyalty-keys.ts";
import { codeOf } from "./broken-reading.ts";
import type { BrokenServers } from "./broken-vendor.ts";
import { loyaltyError, memberIn } from "./double-loyalty.ts";
import type { Fields } from "./double-loyalty-book.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import type { Break, Double } from "./double-server.ts";

const pathOf = ({ path }: Incoming) => path.replace(/^\/loyalty/, "").replace(/\?.*/, "");
const at = (request: Incoming, path: string) => isLoyalty(request) && pathOf(request) === path;
const bodyOf = ({ body }: Incoming): Fields => objectIn(body);
const CREATED: Reply = { status: 201, body: "" };

/** Changes members of a right answer that has a body. */
function answers(path: string, change: (answer: Fields, request: Incoming, double: Double) => Fields): () => { broken: Break } {
  return loyalty(
    (request, reply) => at(request, path) && reply.status === 200,
    (reply, request, double) => {
      const answer = objectIn(Buffer.from(reply.body));
      return { ...reply, body: JSON.stringify({ ...answer, ...change(answer, request, double) }) };
    },
  );
}

const RECALC = "/retaildemand/recalc";

/** Changes the points in the answer to recalc. */
function points(change: (bonus: Record<string, number>, request: Incoming, answer: Fields) => Fields): () => { broken: Break } {
  return answers(RECALC, (answer, request) => {
    const bonus = answer.bonusProgram as Record<string, number>;
    return { bonusProgram: { ...bonus, ...change(bonus, request, answer) } };
  });
}

type Position = Record<string, number> & { sn?: unknown[]; pack?: unknown };

/** Changes the positions in the answer to recalc. */
function positions(change: (positions: Position[], request: Incoming) => unknown[]): () => { broken: Break } {
  return answers(RECALC, (answer, request) => ({ positions: change(answer.positions as Position[], request) }));
}

/** Accepts what a right server refuses with this code. */
const takes = (code: number, path: string, when: (request: Incoming) => boolean, instead: Reply = CREATED) =>
  loyalty((request, reply) => codeOf(reply) === code && at(request, path) && when(request), instead);

/** Refuses what a right server accepts. */
const refuses = (path: string, when: (request: Incoming, double: Double) => boolean, error: Reply = loyaltyError(412, 999)) =>
  before((request, double) => (at(request, path) && when(request, double) ? error : undefined));

/** Accepts a request without this field. */
const lacks = (path: string, parameter: string) =>
  loyalty(
    (request, reply) => at(request, path) && parameterOf(reply) === parameter && isMissing(request, parameter) && request.body.length > 2,
    CREATED,
  );

function isMissing(request: Incoming, path: string): boolean {
  const found = path.split(".").reduce<unknown>((value, step) => ({ ...(value as Fields | undefined) })[step], bodyOf(request));
  return found === undefined;
}

function parameterOf({ body }: Reply): string | undefined {
  return ((objectIn(Buffer.from(body)).errors ?? []) as { parameter?: string }[])[0]?.parameter;
}

/** Moves points of the member after a sale or return was accepted. `move` gets the number of times that the document came. */
function moving(path: string, move: (double: Double, request: Incoming, times: number) => number): () => { broken: Break } {
  return () => {
    const times = new Map<string, number>();
    return {
      broken: async (request, honest, double) => {
        const reply = await honest(request);
        if (!at(request, path) || reply.status !== 201) return reply;
        const key = request.body.toString("base64");
        times.set(key, (times.get(key) ?? 0) + 1);
        const accountId = double.loyalty.accountOf(request) ?? "";
        const book = double.loyalty.bookOf(accountId);
        const body = bodyOf(request);
        const { id = "" } = { ...((body.demand as { meta?: Fields } | undefined)?.meta ?? {}) };
        const member = memberIn(book, body) ?? book.sales.get(String(id))?.member;
        if (member !== undefined) member.balance += move(double, request, times.get(key) ?? 0);
        return reply;
      },
    };
  };
}

const SALE = "/retaildemand";
const RETURN = "/retailsalesreturn";
const bonusOf = (request: Incoming) => ({ ...(bodyOf(request).bonusProgram as Record<string, number> | undefined) });
const isSpending = (request: Incoming) => bonusOf(request).transactionType === ("SPENDING" as unknown);
const idOf = (request: Incoming) => String({ ...(bodyOf(request).meta as Fields | undefined) }.id ?? "");

const ERRORS: BrokenServers = {
  "loyalty/error/shape": loyalty((_, reply) => codeOf(reply) === 404, { status: 404, body: '{"error":"Not Found"}' }),
  "loyalty/error/content-type": loyalty(
    (_, reply) => codeOf(reply) === 404,
    (reply) => ({ ...reply, type: "application/json" }),
  ),
  "loyalty/error/words": loyalty((_, reply) => codeOf(reply) === 404, {
    status: 404,
    body: '{"errors":[{"error":"No","code":404,"error_message":"Not found"}]}',
  }),

  "loyalty/path/served": loyalty(
    (request) => at(request, RETURN) && request.method === "POST" && request.body.toString() === "{}",
    loyaltyError(404, 404),
  ),
  "loyalty/path/gift-card": loyalty((request) => request.method === "GET" && request.path === "/loyalty/giftcard", loyaltyError(404, 404)),
  "loyalty/path/unknown": loyalty((request) => at(request, "/customer"), loyaltyError(404, 28_002)),
  "loyalty/path/wrong-method": loyalty((request, reply) => codeOf(reply) === 405 && request.method === "DELETE", loyaltyError(404, 404)),
  "loyalty/path/doubled-slash": before((request) => (request.path.includes("//") ? loyaltyError(404, 404) : undefined)),

  "loyalty/body/type": loyalty((_, reply) => codeOf(reply) === 415, loyaltyError(400, 400)),
  "loyalty/body/too-large": loyalty((_, reply) => codeOf(reply) === 413, loyaltyError(400, 400)),
  "loyalty/body/no-json": loyalty((request, reply) => codeOf(reply) === 400 && request.body.length === 0, loyaltyError(412, 999)),
  "loyalty/body/no-object": loyalty(({ body }) => body.toString() === "null", loyaltyError(400, 400)),
  "loyalty/body/gzip": before((request) => (request.headers["content-encoding"] === "gzip" ? loyaltyError(415, 415) : undefined)),
  "loyalty/body/unknown-fields": before((request) => ("brandNew" in bodyOf(request) ? loyaltyError(412, 999) : undefined)),
  "loyalty/body/never-5xx": loyalty(({ body }) => body.includes("1e999999999"), loyaltyError(500, 28_099)),
};

const REQUIRED: BrokenServers = {
  "loyalty/required/create": lacks("/counterparty", "name"),
  "loyalty/required/search": () => ({
    broken: async (request, honest) => {
      const reply = await honest(request);
      if (request.method !== "GET" || !at(request, "/counterparty")) return reply;
      return { status: 200, body: '{"rows":[]}' };
    },
  }),
  "loyalty/required/detail": lacks("/counterparty/detail", "meta.id"),
  "loyalty/required/customer-code": lacks("/counterparty/verify", "retailStore"),
  "loyalty/required/recalc": lacks(RECALC, "positions.0.assortment"),
  "loyalty/required/sale-code": lacks("/retaildemand/verify", "counterpartyId"),
  "loyalty/required/sale": lacks(SALE, "moment"),
  "loyalty/required/return": lacks(RETURN, "positions"),
  "loyalty/required/gift-card": loyalty(
    (request) => request.path.startsWith("/loyalty/giftcard?retailStoreId="),
    loyaltyError(404, 28_010),
  ),
  "loyalty/required/wrong-kind": takes(999, SALE, (request) => bonusOf(request).bonusValueToSpend === 0.5),
  "loyalty/required/unknown-name": takes(999, "/counterparty", (request) => bodyOf(request).sex === "OTHER"),
  "loyalty/required/parameter": loyalty(
    (_, reply) => codeOf(reply) === 999 && reply.status === 412 && !isPointsRefusal(reply),
    (reply) => ({
      ...reply,
      body: loyaltyError(412, 999).body,
    }),
  ),
};

const CUSTOMERS: BrokenServers = {
  "loyalty/customer/created": loyalty((request) => at(request, "/counterparty") && request.method === "POST", { status: 202, body: "" }),
  "loyalty/customer/again": refuses(
    "/counterparty",
    (request, double) => request.method === "POST" && bodyOf(request).statusCheck === undefined && isKnown(request, double),
    loyaltyError(409, 28_003),
  ),
  "loyalty/customer/unconfirmed": refuses(
    "/counterparty",
    (request) => bodyOf(request).statusCheck === "IGNORE",
    loyaltyError(412, 28_001),
  ),
  "loyalty/customer/balance": answers("/counterparty/detail", (answer) => ({ bonusProgram: [answer.bonusProgram] })),
  "loyalty/customer/sync-id": refuses(
    "/counterparty/detail",
    (request) => ({ ...(bodyOf(request).meta as Fields) }).idType === "sync",
    loyaltyError(404, 28_002),
  ),
  "loyalty/customer/unknown": loyalty((request, reply) => at(request, "/counterparty/detail") && codeOf(reply) === 28_002, {
    status: 200,
    body: '{"bonusProgram":{"agentBonusBalance":0}}',
  }),
  "loyalty/customer/search": loyalty((request) => request.path.includes("search=9039993344"), { status: 200, body: '{"rows":[{"id":7}]}' }),
  "loyalty/customer/search-off": () => {
    let asked = 0;
    return {
      broken: async (request, honest) => {
        const reply = await honest(request);
        if (!request.path.includes("search=9039993344")) return reply;
        asked += 1;
        // The first searches are answered rightly, because the rule depends on other rules of search.
        return asked > SEARCHES_BEFORE ? { status: 200, body: '{"rows":[]}' } : reply;
      },
    };
  },

  "loyalty/code/customer": answers("/counterparty/verify", () => ({ verificationCode: 123_456 })),
  "loyalty/code/words": answers("/counterparty/verify", () => ({ messageForCashier: "Я".repeat(141) })),
  "loyalty/code/too-soon": loyalty((request, reply) => at(request, "/counterparty/verify") && codeOf(reply) === 28_005, {
    status: 200,
    body: '{"verificationCode":"654321"}',
  }),
  "loyalty/code/sale": answers("/retaildemand/verify", () => ({ verificationCode: "" })),
  "loyalty/code/own-phone": refuses(
    "/retaildemand/verify",
    (request) => bodyOf(request).phone === undefined && bodyOf(request).counterpartyId !== undefined && "retailStore" in bodyOf(request),
    loyaltyError(412, 28_004),
  ),
  "loyalty/code/unknown": loyalty((request, reply) => at(request, "/retaildemand/verify") && codeOf(reply) === 28_002, {
    status: 200,
    body: '{"verificationCode":"654321"}',
  }),

  "loyalty/gift-card/unknown": loyalty((_, reply) => codeOf(reply) === 28_010, loyaltyError(404, 404)),
};

/** The number of searches by the rules that run before: they check the fields of search. */
const SEARCHES_BEFORE = 1;

const QUOTES: BrokenServers = {
  "loyalty/recalc/answer": answers(RECALC, () => ({ needVerification: undefined })),
  "loyalty/recalc/positions": positions((lines) => (lines.length === 5 ? lines.toReversed() : lines)),
  "loyalty/recalc/discounts": positions((lines, request) =>
    lines.map((line) => (line.price === 0.01 && !isSpending(request) ? { ...line, discountPercent: 110, discountedPrice: -0.01 } : line)),
  ),
  "loyalty/recalc/percent": positions((lines, request) =>
    lines.length === 5 && !isSpending(request) ? lines.map((line) => ({ ...line, discountPercent: 1 })) : lines,
  ),
  "loyalty/recalc/serials": positions((lines, request) =>
    isEmptyOf(lines) && isSpending(request) ? lines.map(({ sn: _sn, ...line }) => line) : lines,
  ),
  "loyalty/recalc/pack": positions((lines) => lines.map(({ pack: _pack, ...line }) => line)),
  "loyalty/recalc/agent": answers(RECALC, () => ({ agent: { meta: { id: "another" } } })),
  "loyalty/recalc/short-form": refuses(RECALC, (request) => "agent" in bodyOf(request) && !("bonusProgram" in bodyOf(request))),
  "loyalty/recalc/unknown": before((request, double) =>
    at(request, RECALC) && "meta" in { ...(bodyOf(request).agent as Fields) } && isOn(request, double) && !isMember(request, double)
      ? loyaltyError(404, 28_002)
      : undefined,
  ),
  "loyalty/recalc/no-agent": refuses(RECALC, (request) => isSpending(request) && JSON.stringify(bodyOf(request).agent) === "{}"),
  "loyalty/recalc/large": positions((lines) => lines.slice(0, 250)),
};

const SALES: BrokenServers = {
  "loyalty/sale/booked": moving(SALE, (_, __, times) => (times === 1 ? 1 : 0)),
  "loyalty/sale/promise": moving(SALE, (_, request, times) => (times === 1 && Number(bonusOf(request).bonusValueToSpend) > 0 ? 1 : 0)),
  "loyalty/sale/again": moving(SALE, (_, __, times) => (times === 2 ? 1 : 0)),
  "loyalty/sale/at-once": moving(SALE, (_, __, times) => (times === 3 ? 1 : 0)),
  "loyalty/sale/conflict": takes(28_003, SALE, () => true),
  "loyalty/sale/written-differently": before((request) =>
    at(request, SALE) && Object.keys(bodyOf(request))[0] !== "retailStore" && "retailStore" in bodyOf(request)
      ? loyaltyError(409, 28_003)
      : undefined,
  ),
  "loyalty/sale/anonymous": refuses(SALE, (request) => JSON.stringify(bodyOf(request).agent) === "{}"),
  "loyalty/sale/unknown": before((request, double) =>
    at(request, SALE) && "meta" in { ...(bodyOf(request).agent as Fields) } && !isMember(request, double)
      ? loyaltyError(404, 28_002)
      : undefined,
  ),
  "loyalty/sale/empty-id": refuses(SALE, (request) => idOf(request) === "" && "moment" in bodyOf(request)),
  "loyalty/sale/no-positions": refuses(SALE, (request) => !("positions" in bodyOf(request)) && "moment" in bodyOf(request)),
  "loyalty/sale/beyond": refuses(SALE, (request) => bonusOf(request).bonusValueToSpend === 1_000_000, loyaltyError(412, 28_004)),
  "loyalty/sale/too-generous": moving(SALE, (_, request) => (bonusOf(request).bonusValueToEarn === 1_000_000 ? 1_000_000 : 0)),
};

const POINTS: BrokenServers = {
  "loyalty/points/equation": points(({ bonusValueToSpend, agentBonusBalanceAfter }) =>
    bonusValueToSpend === 7 ? { agentBonusBalanceAfter: Number(agentBonusBalanceAfter) + 1 } : {},
  ),
  "loyalty/points/earning": points(({ transactionType, agentBonusBalance }, request) =>
    transactionType === ("EARNING" as unknown) && Number(agentBonusBalance) > 0 && firstPrice(request) === 100
      ? { bonusValueToSpend: 1 }
      : {},
  ),
  "loyalty/points/limits": points(({ bonusValueToSpend }) => (bonusValueToSpend === 5 ? { paidByBonusPoints: 1_000_000 } : {})),
  "loyalty/points/sum": positions((lines, request) =>
    isSpending(request) && firstPrice(request) === 10.01 && bodyOf(request).preferredBonusToSpend === 5
      ? lines.map((line, index) =>
          index === 0 ? { ...line, discountedPrice: Math.round(Number(line.discountedPrice) * 100 + 1) / 100 } : line,
        )
      : lines,
  ),
  "loyalty/points/rate": points(({ bonusValueToSpend }, request) =>
    bonusValueToSpend === 1 && firstPrice(request) === 1000 ? { paidByBonusPoints: 2 } : {},
  ),
  "loyalty/points/wanted": points(({ bonusValueToSpend, agentBonusBalanceAfter }, request) =>
    Number(bodyOf(request).preferredBonusToSpend) > 100 && Number(bodyOf(request).preferredBonusToSpend) < 1_000_000
      ? { bonusValueToSpend: Number(bonusValueToSpend) + 1, agentBonusBalanceAfter: Number(agentBonusBalanceAfter) - 1 }
      : {},
  ),
  "loyalty/points/beyond": points((_, request) => (bodyOf(request).preferredBonusToSpend === 1_000_000 ? { bonusValueToSpend: 0 } : {})),
  "loyalty/points/no-number-of-points": takes(999, RECALC, (request) => bodyOf(request).preferredBonusToSpend === 0.5, {
    status: 200,
    body: "{}",
  }),
  "loyalty/points/pure": () => {
    const asked = new Map<string, number>();
    return {
      broken: async (request, honest, double) => {
        const reply = await honest(request);
        if (!at(request, RECALC) || reply.status !== 200) return reply;
        const key = request.body.toString("base64");
        asked.set(key, (asked.get(key) ?? 0) + 1);
        const member = memberIn(double.loyalty.bookOf(double.loyalty.accountOf(request) ?? ""), bodyOf(request));
        // The fourth time that the same question comes, a point is taken away.
        if (asked.get(key) === 4 && member !== undefined) member.balance -= 1;
        return reply;
      },
    };
  },
  "loyalty/points/serials": positions((lines) =>
    lines.length === 3 ? lines.map((line) => ({ ...line, sn: line.sn?.slice(0, 1) })) : lines,
  ),
};

const RETURNS: BrokenServers = {
  "loyalty/return/whole": moving(RETURN, (_, request) => (quantityIn(request) === 5 && isPlain(request) ? 1 : 0)),
  "loyalty/return/parts": moving(RETURN, (_, request) => (quantityIn(request) === 1 && firstPrice(request) < 134 ? 1 : 0)),
  "loyalty/return/share": moving(RETURN, (_, request) => (quantityIn(request) === 1 && firstPrice(request) === 20_000 ? 5 : 0)),
  "loyalty/return/again": moving(RETURN, (_, __, times) => (times === 2 ? 1 : 0)),
  "loyalty/return/conflict": takes(28_003, RETURN, () => true),
  "loyalty/return/too-much": takes(28_004, RETURN, (request) => quantityIn(request) > 5),
  "loyalty/return/before-its-sale": before((request, double) =>
    at(request, RETURN) && demandOf(request) !== "" && isOn(request, double) && !bookOf(request, double).sales.has(demandOf(request))
      ? loyaltyError(404, 28_004)
      : undefined,
  ),
  "loyalty/return/no-demand": refuses(
    RETURN,
    (request) => !("demand" in bodyOf(request)) && "positions" in bodyOf(request) && "moment" in bodyOf(request),
  ),
  "loyalty/return/agent": refuses(RETURN, (request) => "href" in { ...(bodyOf(request).agent as Fields) }),
  "loyalty/return/sums": moving(RETURN, (_, request) => (bodyOf(request).noCashSum === 12_345_600 ? 1 : 0)),
};

export const BROKEN_LOYALTY: BrokenServers = {
  ...BROKEN_LOYALTY_KEYS,
  ...ERRORS,
  ...REQUIRED,
  ...CUSTOMERS,
  ...QUOTES,
  ...SALES,
  ...POINTS,
  ...RETURNS,
};

const bookOf = (request: Incoming, { loyalty: server }: Double) => server.bookOf(server.accountOf(request) ?? "");
const isMember = (request: Incoming, double: Double) => memberIn(bookOf(request, double), bodyOf(request)) !== undefined;
const isKnown = (request: Incoming, double: Double) => bookOf(request, double).find(bodyOf(request)) !== undefined;
const demandOf = (request: Incoming) => String({ ...((bodyOf(request).demand as { meta?: Fields } | undefined)?.meta ?? {}) }.id ?? "");
const positionsOf = (request: Incoming) => (bodyOf(request).positions ?? []) as Record<string, number>[];
const firstPrice = (request: Incoming) => Number(positionsOf(request)[0]?.price);
const quantityIn = (request: Incoming) => positionsOf(request).reduce((sum, { quantity }) => sum + Number(quantity), 0);
const isPlain = (request: Incoming) => JSON.stringify(bodyOf(request).agent) === "{}" && Number(bodyOf(request).noCashSum) === 0;
const isPointsRefusal = (reply: Reply) => parameterOf(reply) === "preferredBonusToSpend";

/** Whether the account may use the programme now. */
function isOn(request: Incoming, { loyalty: server, vendor }: Double): boolean {
  return vendor.installed.get(server.accountOf(request) ?? "")?.state === "active";
}

/** Whether no points were spent on any of the positions. */
function isEmptyOf(lines: readonly Position[]): boolean {
  return lines.every(({ discountPercent }) => discountPercent === 0);
}
