import { createPublicKey, type JsonWebKey, verify } from "node:crypto";

/** What the fake answers next to a QR call of any name. */
type FakeQrAnswer = { status: number; code: number } | "silence";

interface Payment {
  amount: unknown;
  retailStoreId: unknown;
  cancelled: unknown[];
}

/** A call as the fake has seen it, with what is wrong with its token. */
interface QrCallSeen {
  name: string;
  body: Record<string, unknown>;
  kid: unknown;
  claims: Record<string, unknown>;
  problem: string | undefined;
}

/**
 * The QR contract's other side, made from the contract alone: it proves tokens by the keys at an address and plays the states that
 * a test lays out.
 */
export class FakeQr {
  readonly calls: QrCallSeen[] = [];
  readonly payments = new Map<unknown, Payment>();
  /** Taken one by one, by whatever calls come. */
  readonly answers: FakeQrAnswer[] = [];
  /** Taken one by one by state calls; the last one stays. */
  states: string[] = ["IN_PROGRESS"];
  jwks = "";
  issuer = "https://platform.example";
  readonly #nowMs: () => number;
  readonly #used = new Set<unknown>();

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** For `FakeSolution.qr`. */
  readonly answer = async (
    path: string,
    body: Record<string, unknown>,
    authorization: string,
  ): Promise<{ status: number; body: object } | "silence"> => {
    const name = path.slice("/qr/payment/".length);
    const { kid, claims, problem } = await this.prove(authorization.replace(/^Bearer /, ""));
    this.calls.push({ name, body, kid, claims, problem });
    if (problem !== undefined) return refusal(401, 401, problem);
    const next = this.answers.shift();
    if (next === "silence") return next;
    if (next !== undefined) return refusal(next.status, next.code, "Нельзя");
    return this.#carryOut(name, body);
  };

  /** The token's parts and the first thing that is wrong with it; a right one is used up. */
  async prove(token: string): Promise<{ kid: unknown; claims: Record<string, unknown>; problem: string | undefined }> {
    const [head = "", body = "", signature = ""] = token.split(".");
    const [{ alg, kid }, claims] = [decode(head), decode(body)];
    const problem = await this.#problem(`${head}.${body}`, signature, alg, kid, claims);
    if (problem === undefined) this.#used.add(claims.id);
    return { kid, claims, problem };
  }

  async #problem(
    signed: string,
    signature: string,
    alg: unknown,
    kid: unknown,
    claims: Record<string, unknown>,
  ): Promise<string | undefined> {
    if (alg !== "RS256") return "algorithm";
    const response = await fetch(this.jwks);
    if (response.status !== 200) return `keys ${response.status}`;
    const { keys } = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    const key = keys.find((each) => each.kid === kid);
    if (key === undefined) return "kid";
    const isSigned = verify(
      "RSA-SHA256",
      Buffer.from(signed),
      createPublicKey({ key, format: "jwk" }),
      Buffer.from(signature, "base64url"),
    );
    if (!isSigned) return "signature";
    if (claims.iss !== this.issuer) return "iss";
    if (!(Number(claims.exp) * 1000 > this.#nowMs())) return "exp";
    return typeof claims.id === "string" && !this.#used.has(claims.id) ? undefined : "id";
  }

  #carryOut(name: string, { operationId, amount, retailStoreId }: Record<string, unknown>): { status: number; body: object } {
    if (name === "qr") {
      this.payments.set(operationId, this.payments.get(operationId) ?? { amount, retailStoreId, cancelled: [] });
      return { status: 200, body: { operationId, data: `https://qr.example/${String(operationId)}?sum=${String(amount)}&cur=RUB` } };
    }
    const payment = this.payments.get(operationId);
    if (payment === undefined || payment.retailStoreId !== retailStoreId) return refusal(404, 1002, "Нет такой операции");
    if (name === "cancel") {
      payment.cancelled.push(amount);
      return { status: 200, body: {} };
    }
    const [status] = this.states.length > 1 ? this.states.splice(0, 1) : this.states;
    return { status: 200, body: { operationId, status } };
  }
}

function refusal(status: number, code: number, errorMessage: string): { status: number; body: object } {
  return { status, body: { errors: [{ error: "Refused", code, errorMessage }] } };
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
}
