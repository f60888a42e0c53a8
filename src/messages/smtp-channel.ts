import type { AlertChannel } from "./alert-channel.ts";
import type { MessageChannel } from "./channel.ts";
import { type MailServerAddress, mailServer } from "./mail-server.ts";

/** Sends verification codes by e-mail. */
export function smtpChannel(address: MailServerAddress): MessageChannel {
  const server = mailServer(address);
  return {
    name: "smtp",
    async send({ email, text }) {
      return email === undefined ? { kind: "no-address" } : server.send({ to: email, subject: "Код подтверждения", text });
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
