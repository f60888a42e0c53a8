import { createPublicKey, type KeyObject } from "node:crypto";
import { errors, jwtVerify } from "jose";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { keySetOf } from "./key-set-schema.ts";

/** Without a max-age in the answer's Cache-Control the keys are read again after this time (platform-contracts 5.2). */
const DEFAULT_AGE_MS = 10 * 60_000;
/** The bounds of the keys' age. An age outside them in the answer's Cache-Control is replaced by the nearer bound. */
const LEAST_AGE_MS = 30_000;
const LONGEST_AGE_MS = 24 * 3_600_000;
/** The shortest time between two reads because of an unknown key. Invented key ids then cannot cause many reads. */
const UNKNOWN_KEY_PAUSE_MS = 30_000;
/** How long the last good keys stay usable while the address fails. */
const KEPT_MS = 24 * 3_600_000;
const FAILED_PAUSE_MS = 30_000;
/** The longest time that a call with an unknown key waits for the address. A later answer serves later calls. */
const WAIT_MS = 1_000;
/** The largest difference between the clocks of issuer and server. */
const SKEW_MS = 60_000;
const MAX_TOKEN_LENGTH = 8_192;
const MAX_ID_LENGTH = 200;
const MAX_KID_LENGTH = 200;
/** The largest accepted `exp`, in seconds. Larger times do not fit into a date. */
const MAX_SECONDS = 8_640_000_000_000;

/** Stores the last good answer of the address across a restart. */
export interface KeySetMemory {
  load(address: string): Promise<StoredKeySet | undefined>;
  save(address: string, stored: StoredKeySet): Promise<void>;
}

export interface StoredKeySet {
  body: string;
  fetchedAtMs: number;
  maxAgeMs: number;
}

/** Makes one GET request to the key address. Rejects when no complete answer came in time. */
export type FetchKeys = (address: string) => Promise<{ status: number; body: string; cacheControl: string | undefined }>;

type KeyTokenReading =
  | { kind: "valid"; id: string; expiresAtMs: number }
  /** `words` is for the caller, `reason` for the log. `no-keys`: the server has no usable key set. */
  | { kind: "refused"; reason: KeyTokenReason; words: string };

type KeyTokenReason = "malformed" | "no-kid" | "unknown-key" | "no-keys" | "signature" | "claims" | "expired";

interface KeySetServices {
  clock: Clock;
  log: Log;
  address: string;
  issuer: string;
  fetch: FetchKeys;
  memory: KeySetMemory;
}

interface Held extends StoredKeySet {
  keys: ReadonlyMap<string, KeyObject>;
}

/**
 * Reads the tokens of an issuer that signs with RS256 and publishes its keys at an address (platform-contracts 5.2). The keys are cached
 * for the time that the address allows. Only one read runs at a time. Unknown keys cause at most one read in 30 s.
 */
export class KeySet {
  readonly #services: KeySetServices;
  #held: Held | undefined;
  #loading: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(services: KeySetServices) {
    this.#services = services;
  }

  /** The time of the last good read, in milliseconds since the epoch. Undefined: no keys were read or loaded yet. */
  get fetchedAtMs(): number | undefined {
    return this.#held?.fetchedAtMs;
  }

  /**
   * Checks algorithm, key, signature, issuer, times and the form of the id. The caller must check that the id was not used before. The
   * token is accepted until `expiresAtMs`, which is `exp` plus the skew.
   */
  async read(token: string): Promise<KeyTokenReading> {
    if (token.length > MAX_TOKEN_LENGTH) return refused("malformed");
    const kid = kidOf(token);
    if (kid === undefined) return refused("no-kid");
    const held = await this.#keysWith(kid);
    if (held === undefined) return refused("no-keys");
    const key = held.keys.get(kid);
    return key === undefined ? refused("unknown-key") : this.#verify(token, key);
  }

  /** Reads the address once, for `doctor`. Resolves with the problem if the read failed. */
  async refresh(): Promise<{ problem?: string }> {
    await this.#load();
    const before = this.#readAtMs;
    await this.#fetch();
    return this.#failedAtMs >= before && this.#failedAtMs === this.#readAtMs ? { problem: "the key address did not answer with keys" } : {};
  }

  async #verify(token: string, key: KeyObject): Promise<KeyTokenReading> {
    const nowMs = this.#services.clock.nowMs();
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ["RS256"],
        issuer: this.#services.issuer,
        clockTolerance: SKEW_MS / 1_000,
        currentDate: new Date(nowMs),
        requiredClaims: ["exp"],
      });
      const { exp, iat, nbf, jti } = payload;
      if (exp === undefined || !(exp <= MAX_SECONDS)) return refused("claims");
      for (const begins of [iat, nbf]) if (begins !== undefined && !(begins * 1_000 <= nowMs + SKEW_MS)) return refused("claims");
      const id = payload.id ?? jti;
      if (typeof id !== "string" || id === "" || id.length > MAX_ID_LENGTH || id.includes("\u0000")) return refused("claims");
      return { kind: "valid", id, expiresAtMs: Math.ceil(exp * 1_000) + SKEW_MS };
    } catch (error) {
      if (error instanceof errors.JWTExpired) return refused("expired");
      if (error instanceof errors.JWTClaimValidationFailed) return refused("claims");
      if (error instanceof errors.JWSSignatureVerificationFailed) return refused("signature");
      if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) return refused("malformed");
      throw error;
    }
  }

  /**
   * Returns the keys. For an unknown key the method reads the address, at most once in 30 s, and waits up to a second. For old keys the
   * method starts a read without waiting. Undefined: there are no keys, or the keys are older than `KEPT_MS`.
   */
  async #keysWith(kid: string): Promise<Held | undefined> {
    await this.#load();
    const { clock } = this.#services;
    const isOld =
      this.#held === undefined ||
      clock.nowMs() - this.#held.fetchedAtMs >= this.#held.maxAgeMs ||
      this.#held.fetchedAtMs > clock.nowMs() + SKEW_MS;
    const knows = this.#held?.keys.has(kid) === true;
    const sinceReadMs = clock.monotonicMs() - this.#readAtMs;
    if (!knows && (sinceReadMs >= UNKNOWN_KEY_PAUSE_MS || this.#reading !== undefined))
      await waitUntil(clock, deadlineIn(clock, WAIT_MS), this.#fetch());
    // Old keys stay usable, so no call waits for the address.
    else if (isOld && clock.monotonicMs() - this.#failedAtMs >= FAILED_PAUSE_MS && sinceReadMs >= LEAST_AGE_MS) void this.#fetch();
    return this.#usable();
  }

  #usable(): Held | undefined {
    const held = this.#held;
    if (held === undefined) return undefined;
    return this.#services.clock.nowMs() - held.fetchedAtMs <= Math.max(KEPT_MS, held.maxAgeMs) ? held : undefined;
  }

  /** Loads the keys of an earlier process. */
  #load(): Promise<void> {
    this.#loading ??= this.#loadStored();
    return this.#loading;
  }

  async #loadStored(): Promise<void> {
    const { memory, address, log } = this.#services;
    try {
      const stored = await memory.load(address);
      const read = stored === undefined ? undefined : heldOf(stored);
      if (this.#held === undefined) this.#held = read;
    } catch (error) {
      this.#loading = undefined;
      log.warn({ error: messageOf(error) }, "the stored keys of QR tokens could not be read");
    }
  }

  /** Reads the address, or joins the running read. A failure is logged and changes no keys. */
  #fetch(): Promise<void> {
    this.#reading ??= this.#fetchOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #fetchOnce(): Promise<void> {
    const { clock, address, fetch, log } = this.#services;
    this.#readAtMs = clock.monotonicMs();
    try {
      const answer = await fetch(address);
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      const stored = { body: answer.body, fetchedAtMs: clock.nowMs(), maxAgeMs: ageIn(answer.cacheControl) };
      this.#held = heldOf(stored);
      await this.#save(stored);
    } catch (error) {
      this.#failedAtMs = this.#readAtMs;
      const ageMs = this.#held === undefined ? undefined : clock.nowMs() - this.#held.fetchedAtMs;
      log.warn({ error: messageOf(error), ageMs }, "the keys of QR tokens could not be read; the last good ones serve for 24 hours");
    }
  }

  /** Stores the keys for the next process. A failure does not affect this process. */
  async #save(stored: StoredKeySet): Promise<void> {
    const { memory, address, log } = this.#services;
    try {
      await memory.save(address, stored);
    } catch (error) {
      log.warn({ error: messageOf(error) }, "the keys of QR tokens were read but could not be stored for the next start");
    }
  }
}

function heldOf(stored: StoredKeySet): Held {
  const keys = new Map(keySetOf(stored.body).keys.map((key) => [key.kid, createPublicKey({ key, format: "jwk" })]));
  return { ...stored, keys };
}

/** Returns the key id from a token's header, before any verification. */
function kidOf(token: string): string | undefined {
  const [header = ""] = token.split(".", 1);
  try {
    const parsed: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    const kid = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "kid") : undefined;
    return typeof kid === "string" && kid !== "" && kid.length <= MAX_KID_LENGTH ? kid : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function ageIn(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec((cacheControl ?? "").slice(0, 200))?.[1];
  if (seconds === undefined) return DEFAULT_AGE_MS;
  return Math.min(Math.max(Number(seconds) * 1_000, LEAST_AGE_MS), LONGEST_AGE_MS);
}

const WORDS: Record<KeyTokenReason, string> = {
  malformed: "The token is not valid",
  "no-kid": "The token names no key",
  "unknown-key": "The token is not valid",
  "no-keys": "The keys of tokens cannot be read now",
  signature: "The token is not valid",
  claims: "A claim of the token is missing or not valid",
  expired: "The token has expired",
};

function refused(reason: KeyTokenReason): KeyTokenReading {
  return { kind: "refused", reason, words: WORDS[reason] };
}
