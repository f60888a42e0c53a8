import { appendFile } from "node:fs/promises";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import { makePrivate, OWNER_ONLY } from "../kernel/private-file.ts";
import type { MessageChannel } from "./channel.ts";

/** A channel for development. Each message is a JSON line `{at, phone, email, purpose, code}` in a file that only its owner can read. */
export function fileChannel(file: string, clock: Clock): MessageChannel {
  return {
    name: "file",
    async send({ phone, email, purpose, code }) {
      const at = new Date(clock.nowMs()).toISOString();
      const line = JSON.stringify({ at, phone: phone ?? null, email: email ?? null, purpose, code });
      try {
        makePrivate(file);
        await appendFile(file, `${line}\n`, { mode: OWNER_ONLY });
        return { kind: "sent" };
      } catch (error) {
        return { kind: "failed", problem: messageOf(error) };
      }
    },
    async problem() {
      try {
        makePrivate(file);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
    close() {},
  };
}
