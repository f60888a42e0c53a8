import type { Clock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import type { AlertChannel } from "./alert-channel.ts";
import { type Delivery, type MessageChannel, SEND_LIMIT_MS } from "./channel.ts";
import { type MailServerAddress, mailServer } from "./mail-server.ts";

/** Sends verification codes by e-mail. All steps of a slow mail server together have `SEND_LIMIT_MS`. */
export function smtpChannel(address: MailServerAddress, clock: Clock): MessageChannel {
  const server = mailServer(address);
  return {
    name: "smtp",
    async send({ email, text }) {
      if (email === undefined) return { kind: "no-address" };
      const sending = server.send({ to: email, subject: "Код подтверждения", text });
      const ended = await waitUntil<Delivery>(clock, deadlineIn(clock, SEND_LIMIT_MS), sending);
      return ended.kind === "finished" ? ended.value : { kind: "failed", problem: `no answer within ${SEND_LIMIT_MS} ms` };
    },
    problem: () => server.problem(),
    close: () => server.close(),
  };
}

/** Sends alerts by e-mail. `to`: the address of the operator. Absent: the channel is only for owners. */
export function smtpAlertChannel(address: MailServerAddress, to?: string): AlertChannel {
  const server = mailServer(address);
  return {
    name: "smtp",
    async send({ subject, text }, email = to) {
      return email === undefined ? { kind: "no-address" } : server.send({ to: email, subject, text });
    },
    problem: () => server.problem(),
    close: () => server.close(),
  };
}
