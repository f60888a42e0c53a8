import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import { type MessageChannel, SEND_LIMIT_MS } from "./channel.ts";

/** Sends messages by a provider of text messages: POST `{phone, text}` to the address. A 2xx answer means that the message is sent. */
export function webChannel(address: string, clock: Clock): MessageChannel {
  const host = new URL(address).host;
  return {
    name: "https",
    async send({ phone, text }) {
      if (phone === undefined) return { kind: "no-address" };
      const ending = new AbortController();
      const cancel = clock.after(SEND_LIMIT_MS, () => ending.abort(new Error(`no answer within ${SEND_LIMIT_MS} ms`)));
      try {
        const body = JSON.stringify({ phone, text });
        const headers = { "Content-Type": "application/json" };
        const answer = await fetch(address, { method: "POST", headers, body, signal: ending.signal, redirect: "error" });
        await answer.body?.cancel();
        return answer.ok ? { kind: "sent" } : { kind: "failed", problem: `${host} answered ${answer.status}` };
      } catch (error) {
        return { kind: "failed", problem: `${host}: ${messageOf(error)}` };
      } finally {
        cancel();
      }
    },
    // A provider cannot be tested without a message, which costs money and reaches a person.
    problem: async () => undefined,
    close() {},
  };
}
