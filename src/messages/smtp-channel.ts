import type { Clock } from "../kernel/clock.ts";
import type { AlertChannel } from "./alert-channel.ts";
import { type MessageChannel, SEND_LIMIT_MS } from "./channel.ts";
import { type MailServerAddress, mailServer } from "./mail-server.ts";

/**
 * The longest time for one alert. Nobody waits for an alert, so a mail server may delay its greeting, as some mail servers do against
 * unwanted mail.
 */
const ALERT_LIMIT_MS = 10_000;

/** Sends verification codes by e-mail. All steps of one message together take at most `SEND_LIMIT_MS`. */
export function smtpChannel(address: MailServerAddress, clock: Clock): MessageChannel {
  const server = mailServer(address, clock, SEND_LIMIT_MS);
  return {
    name: "smtp",
    async send({ email, text }) {
      if (email === undefined) return { kind: "no-address" };
      return server.send({ to: email, subject: "Код подтверждения", text });
    },
    problem: () => server.problem(),
    close: () => server.close(),
  };
}

/** Sends alerts by e-mail. `to`: the address of the operator. Absent: the channel is only for owners. */
export function smtpAlertChannel(address: MailServerAddress, clock: Clock, to?: string): AlertChannel {
  const server = mailServer(address, clock, ALERT_LIMIT_MS);
  return {
    name: "smtp",
    async send({ subject, text }, email = to) {
      return email === undefined ? { kind: "no-address" } : server.send({ to: email, subject, text });
    },
    problem: () => server.problem(),
    close: () => server.close(),
  };
}
