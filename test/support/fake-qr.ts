import { createPublicKey, type JsonWebKey, verify } from "node:crypto";

/** The next answer of the fake, whatever QR call comes. */
type FakeQrAnswer = { status: number; code: number } | "silence";

interface Payment {
  amount: unknown;
  retailStoreId: unknown;
  cancelled: unknown[];
}

/** A call that came to the fake, with what is wrong with its token. */
interface QrCallSeen {
  name: string;
  body: Record<string, unknown>;
  kid: unknown;
  claims: Record<string, unknown>;
  problem: string | undefined;
}

/**
 * The solution's side of the QR contract, made only from the contract. It proves tokens by the keys at an address and answers with
 * the states that a test prepares.
 */
export class FakeQr {
  readonly calls: QrCallSeen[] = [];
  readonly payments = new Map<unknown, Payment>();
  /** Answers for the next calls. Each call, whatever its name, takes one. */
  readonly answers: FakeQrAnswer[] = [];
  /** States for the next state calls. Each call takes one, and the last one stays. */
  states: string[] = ["IN_PROGRESS"];
  jwks = "";
  issuer = "https://platform.example";
  readonly #nowMs: () => number;
  readonly #used = new Set<unknown>();

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Answers a call. It is meant for `FakeSolution.qr`. */
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

  /** The parts of the token, and the first fault in it. A valid token can be used only once. */
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
