import { createHash, createHmac, createSecretKey, type Hash, type KeyObject, scryptSync, timingSafeEqual } from "node:crypto";
import type { Secret } from "../kernel/secret.ts";

export interface CallHead {
  method: string;
  path: string;
  /** The ids of the processes. A process has a new id at each start, so a call to an earlier start proves nothing. */
  to: string;
  from: string;
  /** Grows with each call of the sender. A number is valid once. */
  number: number;
}

/** The header with the proof that belongs to a call or to an answer. */
export const PROOF_HEADER = "x-cluster-proof";

/** Receiver, sender, number and code of a call's proof. */
const PROOF = /^([\w-]{1,64})\.([\w-]{1,64})\.(\d{1,15})\.([\w-]{43})$/;

/** Returns the id of the process that the header names as the receiver. The id alone proves nothing. Undefined: no proof of a call. */
export function receiverIn(header: string | undefined): string | undefined {
  return PROOF.exec(header ?? "")?.[1];
}

/** The keys for proving calls between processes. Each process has its own key, derived from SECRET_KEY. */
export class CallKeys {
  readonly #root: KeyObject;
  readonly #keys = new Map<string, KeyObject>();

  /** Make one object and keep it. Deriving a key takes about 50 ms on purpose, because SECRET_KEY may be a phrase that a person chose. */
  constructor(secretKey: Secret) {
    this.#root = createSecretKey(scryptSync(secretKey.reveal(), "fiscal-solution/cluster/1", 32, { N: 16_384, r: 8, p: 1 }));
  }

  /** A text that is the same for the same SECRET_KEY, for comparing the keys of two processes. It does not reveal the key. */
  get check(): string {
    return createHmac("sha256", this.#root).update("check").digest("base64url");
  }

  prove(head: CallHead, body: Buffer): string {
    return [head.to, head.from, head.number, this.#macOf(head, body)].join(".");
  }

  /** Returns the head of the call if the header proves the call. */
  proved(method: string, path: string, header: string | undefined, body: Buffer): CallHead | undefined {
    const [, to = "", from = "", digits = "", mac = ""] = PROOF.exec(header ?? "") ?? [];
    if (to === "") return undefined;
    const head = { method, path, to, from, number: Number(digits) };
    return isEqual(mac, this.#macOf(head, body)) ? head : undefined;
  }

  proveAnswer(head: CallHead, status: number, outcome: string, body: Buffer | Hash): string {
    return this.#mac(head.to, ["answer", status, outcome, head.from, head.number, hashOf(body)]);
  }

  /** Whether the proof belongs to the answer. `body`: the body or its SHA-256, computed while a long body arrived. */
  isAnswerOf(head: CallHead, answer: { status: number; outcome: string; body: Buffer | Hash }, proof: string | undefined): boolean {
    return isEqual(proof ?? "", this.proveAnswer(head, answer.status, answer.outcome, answer.body));
  }

  #macOf({ method, path, to, from, number }: CallHead, body: Buffer): string {
    return this.#mac(to, ["call", method, path, from, number, hashOf(body)]);
  }

  #mac(to: string, parts: readonly (string | number)[]): string {
    return createHmac("sha256", this.#keyOf(to)).update(parts.join("\n")).digest("base64url");
  }

  #keyOf(to: string): KeyObject {
    const known = this.#keys.get(to);
    if (known !== undefined) return known;
    const key = createSecretKey(createHmac("sha256", this.#root).update(`process ${to}`).digest());
    // A caller without the secret may name any process, so the number of keys is bounded.
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(to, key);
    return key;
  }
}

/** The largest number of remembered keys. A cluster has fewer processes at a time. */
const MAX_KEYS = 200;

/**
 * How far the numbers of one sender may arrive out of order. Fewer calls than this run at the same time between two processes: a lane has
 * 32 places, and a connection carries one call.
 */
const WINDOW = 4_096;

/** The numbers that each sender has used. */
export class UsedNumbers {
  readonly #senders = new Map<string, { newest: number; used: Set<number> }>();

  /** Marks the number as used and returns whether it was new. A number far below the newest counts as used. */
  use(from: string, number: number): boolean {
    const sender = this.#senders.get(from) ?? { newest: 0, used: new Set() };
    this.#senders.set(from, sender);
    if (number <= sender.newest - WINDOW || sender.used.has(number)) return false;
    sender.used.add(number);
    if (number > sender.newest) {
      for (const old of sender.used) if (old <= number - WINDOW) sender.used.delete(old);
      sender.newest = number;
    }
    return true;
  }

  /** Forgets senders that left the cluster. Their calls are refused anyway. */
  keepOnly(there: ReadonlySet<string>): void {
    for (const from of this.#senders.keys()) if (!there.has(from)) this.#senders.delete(from);
  }
}

function hashOf(body: Buffer | Hash): string {
  return (Buffer.isBuffer(body) ? createHash("sha256").update(body) : body).digest("base64url");
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
