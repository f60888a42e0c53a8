import type { InstallationKey } from "../../accounts/installation.ts";
import type { Chance } from "../../kernel/clock.ts";
import { present } from "../../kernel/present.ts";
import { inPieces } from "../../kernel/work/in-pieces.ts";
import { type MessageChannel, sendByFirst } from "../../messages/channel.ts";
import type { LoyaltyServices } from "../services.ts";
import {
  countSendsOfStore,
  deleteCodesAfter,
  deleteCodesBefore,
  deleteCodesOf,
  endCode,
  endExpiredCodes,
  insertCode,
  lockCodes,
  openCode,
  sendsTo,
} from "./code-queries.ts";
import { targetOf } from "./sent-codes.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How long a code is valid. All limits in this file come from loyalty-model 11. */
const LIFE_MS = 300_000;
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 600;
/** After this many sends within a day, each further send doubles the wait. */
const WAITS_GROW_AFTER = 3;
const SENDS_AN_HOUR = 5;
const SENDS_A_DAY = 10;
const STORE_SENDS_AN_HOUR = 30;
const DIGITS = 6;
/**
 * A code that was sent by more than this after now was sent while the clock was ahead. Such a code is deleted: its limits would hold for as
 * long as the clock was ahead, and so would its proof that the buyer agreed.
 */
const CLOCK_STEP_MS = LIFE_MS;

interface CodeRequest {
  purpose: "customer" | "spending";
  /** Absent: the person is not a member yet. */
  memberId?: string;
  /** In E.164. */
  phone?: string;
  email?: string;
  storeId: string;
  /** The name of the shop or programme, for the message. */
  from: string;
}

export type CodeResult =
  /** `masked`: the address as the cashier sees it. */
  | { kind: "sent"; code: string; repeatAfterSeconds: number; to: "phone" | "email"; masked: string }
  /** A code was sent a short time ago and is still valid. */
  | { kind: "too-soon"; waitSeconds: number }
  /** Too many codes were sent to this address or from this point of sale. */
  | { kind: "too-many" }
  /** No channel is configured, or no channel reaches the person. */
  | { kind: "no-way" }
  | { kind: "not-delivered"; problem: string };

interface CodeServices extends Pick<LoyaltyServices, "store" | "clock" | "chance" | "seal" | "log"> {
  channels: readonly MessageChannel[];
}

/**
 * Sends verification codes. A code shows the cashier that the phone or the e-mail address is the buyer's. The cashier sees the code too
 * (loyalty-model 11). Codes are sealed in the database and never logged. The text of a code is deleted at once when the code is replaced or
 * not delivered. `wipe` deletes the text of expired codes.
 */
export class Codes {
  readonly #services: CodeServices;

  constructor(services: CodeServices) {
    this.#services = services;
  }

  get hasChannel(): boolean {
    return this.#services.channels.length > 0;
  }

  /** Sends a new code. Ends the earlier code of the same purpose, person and address. */
  async request(key: InstallationKey, asked: CodeRequest): Promise<CodeResult> {
    const { clock, chance, channels, store, log } = this.#services;
    const { phone, email } = asked;
    const address = phone ?? email;
    if (address === undefined || channels.length === 0) return { kind: "no-way" };
    const code = newCode(chance);
    const taken = await this.#take(key, asked, address, code);
    if (taken.kind !== "taken") return taken;
    const message = {
      ...present({ phone, email }),
      purpose: asked.purpose,
      code,
      text: `${asked.from}: код ${code}. Назовите его кассиру.`,
    };
    const delivery = await sendByFirst(channels, message);
    if (delivery.kind === "sent") {
      const to = phone === undefined || (delivery.channel === "smtp" && email !== undefined) ? "email" : "phone";
      return {
        kind: "sent",
        code,
        repeatAfterSeconds: taken.waitSeconds,
        to,
        masked: to === "email" ? maskedEmail(email ?? "") : maskedPhone(phone ?? ""),
      };
    }
    await store.commit((tx) => endCode(tx, taken.id, clock.nowMs()));
    if (delivery.kind === "no-address") return { kind: "no-way" };
    log.error({ ...key, purpose: asked.purpose, problem: delivery.problem }, "a verification code could not be sent");
    return { kind: "not-delivered", problem: delivery.problem };
  }

  /** Deletes codes that no limit counts any more, codes of a clock that was ahead, and the text of expired codes. */
  async wipe(): Promise<void> {
    const { store, clock } = this.#services;
    const nowMs = clock.nowMs();
    await inPieces((limit) => store.commit((tx) => deleteCodesBefore(tx, nowMs - DAY_MS, limit), "behind"));
    await inPieces((limit) => store.commit((tx) => deleteCodesAfter(tx, nowMs + CLOCK_STEP_MS, limit), "behind"));
    await inPieces((limit) => store.commit((tx) => endExpiredCodes(tx, nowMs, limit), "behind"));
  }

  /** Stores the code before it is sent, unless a limit forbids it. */
  #take(
    key: InstallationKey,
    asked: CodeRequest,
    address: string,
    code: string,
  ): Promise<{ kind: "taken"; id: string; waitSeconds: number } | Exclude<CodeResult, { kind: "sent" }>> {
    const { store, clock, chance, seal } = this.#services;
    const target = targetOf(seal, key, address);
    const subject = asked.memberId ?? target;
    const id = chance.uuid();
    return store.commit(async (tx) => {
      const nowMs = clock.nowMs();
      await lockCodes(tx, key);
      await deleteCodesOf(tx, key, { target, storeId: asked.storeId, afterMs: nowMs + CLOCK_STEP_MS });
      const open = await openCode(tx, key, { purpose: asked.purpose, subject, target });
      const waitMs = open === undefined ? 0 : open.sent_at_ms + open.wait_seconds * 1_000 - nowMs;
      if (open !== undefined && open.expires_at_ms > nowMs && waitMs > 0)
        return { kind: "too-soon", waitSeconds: Math.ceil(Math.min(waitMs, LONGEST_WAIT_SECONDS * 1_000) / 1_000) };
      const sends = await sendsTo(tx, key, target, nowMs - DAY_MS);
      const thisHour = sends.filter((atMs) => atMs > nowMs - HOUR_MS).length;
      const ofStore = await countSendsOfStore(tx, key, asked.storeId, nowMs - HOUR_MS);
      if (thisHour >= SENDS_AN_HOUR || sends.length >= SENDS_A_DAY || ofStore >= STORE_SENDS_AN_HOUR) return { kind: "too-many" };
      if (open !== undefined) await endCode(tx, open.id, nowMs);
      const waitSeconds = waitAfter(sends.length + 1);
      await insertCode(tx, {
        id,
        app_id: key.appId,
        account_id: key.accountId,
        purpose: asked.purpose,
        subject,
        target,
        store_id: asked.storeId,
        code_sealed: seal.seal(code, `loyalty_codes/${id}`),
        wait_seconds: waitSeconds,
        sent_at_ms: nowMs,
        expires_at_ms: nowMs + LIFE_MS,
        ended_at_ms: null,
      });
      return { kind: "taken", id, waitSeconds };
    });
  }
}

/** Returns the wait until the next code: 60 s, doubled from the fourth send of a day on, at most ten minutes. */
function waitAfter(send: number): number {
  return Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.max(0, send - WAITS_GROW_AFTER));
}

/** Returns six random digits. Draws again when all digits are the same or count up or down, because such a code looks invented. */
function newCode(chance: Chance): string {
  for (;;) {
    const code = String(chance.bytes(4).readUInt32BE() % 10 ** DIGITS).padStart(DIGITS, "0");
    if (!isPattern(code)) return code;
  }
}

function isPattern(code: string): boolean {
  const steps = new Set([...code].slice(1).map((digit, index) => (Number(digit) - Number(code[index]) + 10) % 10));
  const [step] = steps;
  return steps.size === 1 && (step === 0 || step === 1 || step === 9);
}

/** Returns a phone for the cashier, such as `+7903***4455`. */
function maskedPhone(phone: string): string {
  return `${phone.slice(0, 5)}***${phone.slice(-4)}`;
}

/** Returns an e-mail address for the cashier, such as `i***@shop.example`. */
function maskedEmail(email: string): string {
  const [name = "", host = ""] = email.split("@");
  return `${name.slice(0, 1)}***@${host}`;
}
