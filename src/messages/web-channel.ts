import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { AlertChannel } from "./alert-channel.ts";
import { type Delivery, type MessageChannel, SEND_LIMIT_MS } from "./channel.ts";

/** Sends messages by a provider of text messages: POST `{phone, text}` to the address. A 2xx answer means sent. */
export function webChannel(address: string, clock: Clock): MessageChannel {
  return {
    name: "https",
    async send({ phone, text }) {
      return phone === undefined ? { kind: "no-address" } : post(address, clock, { phone, text });
    },
    // A provider is not tested: a test would need a message, which costs money and reaches a person.
    problem: async () => undefined,
    close() {},
  };
}

/**
 * Sends alerts to a program of the operator: POST `{at, kind, state, account, store, register, text}`. A 2xx answer means sent. Reaches no
 * owner.
 */
export function webAlertChannel(address: string, clock: Clock): AlertChannel {
  return {
    name: "https",
    async send({ at, kind, state, account, store, register, text }, email) {
      if (email !== undefined) return { kind: "no-address" };
      return post(address, clock, { at, kind, state, account, store, register, text });
    },
    // The operator's program is not tested: a test would need a message, which would be a false alert.
    problem: async () => undefined,
    close() {},
  };
}

async function post(address: string, clock: Clock, body: object): Promise<Delivery> {
  const { host } = new URL(address);
  const ending = new AbortController();
  const cancel = clock.after(SEND_LIMIT_MS, () => ending.abort(new Error(`no answer within ${SEND_LIMIT_MS} ms`)));
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body), signal: ending.signal, redirect: "error" });
    await answer.body?.cancel();
    return answer.ok ? { kind: "sent" } : { kind: "failed", problem: `${host} answered ${answer.status}` };
  } catch (error) {
    return { kind: "failed", problem: `${host}: ${reasonOf(error)}` };
  } finally {
    cancel();
  }
}

/** Returns the reason of a failure. The message `fetch failed` gives no reason, but the error's cause does. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
