import { createHash, createHmac, createSecretKey, type Hash, type KeyObject, scryptSync, timingSafeEqual } from "node:crypto";
import type { Secret } from "../kernel/secret.ts";

export interface CallHead {
  method: string;
  path: string;
  /**
   * The ids of the receiving and of the sending process. A process has a new id at each start, so the proof of a call to an earlier start
   * is not valid.
   */
  to: string;
  from: string;
  /** Grows with each call of the sender. A number is valid once. */
  number: number;
}

/** The header with the proof that belongs to a call or to an answer. */
export const PROOF_HEADER = "x-cluster-proof";

/** The parts of a call's proof: receiver, sender, number and message authentication code (HMAC). */
const PROOF = /^([\w-]{1,64})\.([\w-]{1,64})\.(\d{1,15})\.([\w-]{43})$/;

/**
 * Returns the id of the process that the header names as the receiver. The id alone proves nothing. Undefined: the header contains no proof
 * of a call.
 */
export function receiverIn(header: string | undefined): string | undefined {
  return PROOF.exec(header ?? "")?.[1];
}

/**
 * The keys for proving calls between processes. Each process has its own key, derived from SECRET_KEY. A call and its answer are proved
 * with the key of the process that receives the call.
 */
export class CallKeys {
  readonly #root: KeyObject;
  readonly #keys = new Map<string, KeyObject>();

  /**
   * Make one object and keep it, because it takes about 50 ms to derive the root key. This is slow on purpose: SECRET_KEY may be a phrase
   * that a person chose.
   */
  constructor(secretKey: Secret) {
    this.#root = createSecretKey(scryptSync(secretKey.reveal(), "fiscal-solution/cluster/1", 32, { N: 16_384, r: 8, p: 1 }));
  }

  /** A text that is the same for the same SECRET_KEY, for comparing the keys of two processes. It does not reveal the key. */
  get check(): string {
    return createHmac("sha256", this.#root).update("check").digest("base64url");
  }

  /** Returns the header's value that proves the call. */
  prove(head: CallHead, body: Buffer): string {
    return [head.to, head.from, head.number, this.#macOf(head, body)].join(".");
  }

  /** Returns the head of the call. Undefined: the header does not prove the call. */
  proved(method: string, path: string, header: string | undefined, body: Buffer): CallHead | undefined {
    const [, to = "", from = "", digits = "", mac = ""] = PROOF.exec(header ?? "") ?? [];
    if (to === "") return undefined;
    const head = { method, path, to, from, number: Number(digits) };
    return isEqual(mac, this.#macOf(head, body)) ? head : undefined;
  }

  /** Returns the header's value that proves the answer to the call. `body`: the body or its SHA-256. */
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
    // A caller without SECRET_KEY may name any process as the receiver, so the number of keys is bounded.
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(to, key);
    return key;
  }
}

/** The largest number of remembered keys. A cluster has fewer processes at a time. */
const MAX_KEYS = 200;

/**
 * How far the number of a call may be below the newest number of its sender. In practice a sender's calls overtake one another by far less,
 * because each of its 128 connections to a process carries one call at a time.
 */
const WINDOW = 4_096;

/** The numbers that each sender has used. */
export class UsedNumbers {
  readonly #senders = new Map<string, { newest: number; used: Set<number> }>();

  /** Marks the number as used and returns whether it was new. A number that is lower than the newest by `WINDOW` or more counts as used. */
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
