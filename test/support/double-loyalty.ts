import { randomUUID } from "node:crypto";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { signToken } from "../../src/tools/sandbox/caller/vendor-token.ts";
import { type Fields, LoyaltyBook, type Member } from "./double-loyalty-book.ts";
import { fieldProblem } from "./double-loyalty-fields.ts";
import type { Incoming, Reply } from "./double-message.ts";
import { DOUBLE_APP, type VendorDouble } from "./double-vendor.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** For so long a replaced key stays valid. */
const OVERLAP_MS = 10 * 60_000;
const CODE_PAUSE_MS = 60_000;
/** The platform may not know yet that the installation is active, so the call is repeated. */
const CONNECT_TRIES = 50;
const CONNECT_PAUSE_MS = 20;
const CALLS: Record<string, "GET" | "POST" | "GET POST"> = {
  "/counterparty": "GET POST",
  "/counterparty/detail": "POST",
  "/counterparty/verify": "POST",
  "/retaildemand/recalc": "POST",
  "/retaildemand/verify": "POST",
  "/retaildemand": "POST",
  "/retailsalesreturn": "POST",
  "/giftcard": "GET",
};

/** The loyalty contract with one programme, in memory. Buyers earn 5 %, a point is a rouble, and points pay at most half of a receipt. */
export class LoyaltyDouble {
  /** The address of the platform. Empty: nobody is told where the programme is. */
  platform = "";
  /** The address of the programme that the platform is told. */
  url = "https://shop.example/loyalty";
  /** Whether a buyer who joins needs a code. */
  confirms = false;
  /** Whether recalc wants a code before points are spent. */
  verifies = false;
  readonly keys = new Map<string, { accountId: string; untilMs: number }>();
  readonly books = new Map<string, LoyaltyBook>();
  readonly #vendor: VendorDouble;
  readonly #codes = new Map<string, number>();

  constructor(vendor: VendorDouble) {
    this.#vendor = vendor;
  }

  bookOf(accountId: string): LoyaltyBook {
    const book = this.books.get(accountId) ?? new LoyaltyBook();
    this.books.set(accountId, book);
    return book;
  }

  /** Tells the platform a new key. The key before it stays valid for a while. */
  async connect(accountId: string): Promise<void> {
    if (this.platform === "") return;
    const nowMs = systemClock.nowMs();
    for (const key of this.keys.values()) if (key.accountId === accountId) key.untilMs = Math.min(key.untilMs, nowMs + OVERLAP_MS);
    const token = randomUUID() + randomUUID();
    this.keys.set(token, { accountId, untilMs: Number.POSITIVE_INFINITY });
    for (let tries = 0; tries < CONNECT_TRIES; tries += 1) {
      const claims = { sub: DOUBLE_APP.appUid, iat: Math.floor(systemClock.nowMs() / 1000), jti: randomUUID() };
      const response = await fetch(`${this.platform}/api/vendor/1.0/apps/${DOUBLE_APP.appId}/${accountId}/loyalty`, {
        method: "PUT",
        headers: {
          authorization: `Bearer ${signToken(claims, DOUBLE_APP.secretKey)}`,
          "accept-encoding": "gzip",
          "content-type": "application/json",
        },
        body: JSON.stringify({ url: this.url, token, externalSearch: false }),
      });
      if (response.status !== 400) return;
      await pause(systemClock, CONNECT_PAUSE_MS);
    }
  }

  answer(request: Incoming): Reply {
    const url = new URL(request.path.replace(/^\/loyalty/, ""), "http://double.example");
    const methods = CALLS[url.pathname];
    if (methods === undefined) return loyaltyError(404, 404);
    if (!methods.split(" ").includes(request.method)) return loyaltyError(405, 405);
    if (request.raw.length > MAX_BODY_BYTES) return loyaltyError(413, 413);
    if (request.method === "POST" && request.headers["content-type"] !== "application/json") return loyaltyError(415, 415);
    const accountId = this.accountOf(request);
    if (accountId === undefined) return loyaltyError(401, 999);
    const call = request.method === "GET" ? `GET ${url.pathname}` : url.pathname;
    const value = request.method === "GET" ? Object.fromEntries(url.searchParams) : jsonIn(request.body);
    if (value === undefined) return loyaltyError(400, 400);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return loyaltyError(412, 999, "");
    const body: Fields = { ...value };
    const wrong = fieldProblem(call, body);
    return wrong === undefined ? this.#work(call, accountId, body) : loyaltyError(412, 999, wrong);
  }

  /** The account of the key. Undefined: the key is missing, too old, or of an account that has uninstalled. */
  accountOf({ headers }: Incoming): string | undefined {
    const key = this.keys.get(headers["platform-discount-api-auth-token"] ?? "");
    if (key === undefined || key.untilMs <= systemClock.nowMs()) return undefined;
    return this.#vendor.installed.get(key.accountId)?.state === "uninstalled" ? undefined : key.accountId;
  }

  #work(call: string, accountId: string, body: Fields): Reply {
    const book = this.bookOf(accountId);
    const isOn = this.#vendor.installed.get(accountId)?.state === "active";
    switch (call) {
      case "/counterparty":
        if (this.confirms && body.statusCheck === "UNCHECKED") return loyaltyError(412, 28_001);
        book.enrol(body);
        return { status: 201, body: "" };
      case "/counterparty/detail": {
        const member = book.find(body);
        return member === undefined ? loyaltyError(404, 28_002) : done({ bonusProgram: { agentBonusBalance: isOn ? member.balance : 0 } });
      }
      case "/counterparty/verify":
        return this.#code(String(body.phone ?? body.email ?? ""));
      case "/retaildemand/verify": {
        const member = book.find({ syncId: body.counterpartyId });
        return member === undefined ? loyaltyError(404, 28_002) : this.#code(String(body.phone ?? member.phone ?? ""));
      }
      case "/retaildemand/recalc":
        return done({ ...book.quote(body, isOn), needVerification: this.verifies });
      case "/retaildemand":
      case "/retailsalesreturn":
        return booked(isOn ? book.order(call === "/retaildemand" ? "sale" : "return", body) : "booked");
      default:
        return call === "GET /giftcard" ? loyaltyError(404, 28_010) : loyaltyError(404, 404);
    }
  }

  #code(to: string): Reply {
    if (to === "") return loyaltyError(412, 28_004);
    const nowMs = systemClock.nowMs();
    if (nowMs < (this.#codes.get(to) ?? Number.NEGATIVE_INFINITY) + CODE_PAUSE_MS) return loyaltyError(429, 28_005);
    this.#codes.set(to, nowMs);
    return done({ verificationCode: "123456", timeForRepeat: CODE_PAUSE_MS / 1000, messageForCashier: "Спросите код у покупателя." });
  }
}

/** The member that a request is about. Undefined: there is none. */
export function memberIn(book: LoyaltyBook, body: Fields): Member | undefined {
  return book.find(body.agent as Fields | undefined);
}

export function loyaltyError(status: number, code: number, parameter?: string): Reply {
  const error = {
    error: "Refused",
    code,
    error_message: "Программа не приняла запрос. Повторите его.",
    ...(parameter === undefined ? {} : { parameter }),
  };
  return { status, body: JSON.stringify({ errors: [error] }) };
}

function booked(outcome: "booked" | "conflict" | "too-much"): Reply {
  if (outcome === "booked") return { status: 201, body: "" };
  return outcome === "conflict" ? loyaltyError(409, 28_003) : loyaltyError(412, 28_004);
}

function done(answer: object): Reply {
  return { status: 200, body: JSON.stringify(answer) };
}

/** The body as JSON in UTF-8. Undefined: it is none. */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
