import { createTransport } from "nodemailer";
import { messageOf } from "../kernel/failure.ts";
import type { Secret } from "../kernel/secret.ts";
import { type MessageChannel, SEND_LIMIT_MS } from "./channel.ts";

/** The largest number of connections to the mail server. A message takes about half a second. */
const CONNECTIONS = 2;

interface MailServer {
  host: string;
  port: number;
  user?: string;
  password?: Secret;
  /** The sender's address. */
  from: string;
}

/** Sends messages by e-mail. Port 465 uses TLS from the beginning. At other ports TLS begins when the server offers it. */
export function smtpChannel({ host, port, user, password, from }: MailServer): MessageChannel {
  const transport = createTransport({
    host,
    port,
    secure: port === 465,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: SEND_LIMIT_MS,
    greetingTimeout: SEND_LIMIT_MS,
    socketTimeout: SEND_LIMIT_MS,
    ...(user === undefined ? {} : { auth: { user, pass: password?.reveal() ?? "" } }),
  });
  return {
    name: "smtp",
    async send({ email, text }) {
      if (email === undefined) return { kind: "no-address" };
      try {
        await transport.sendMail({ from, to: { name: "", address: email }, subject: "Код подтверждения", text });
        return { kind: "sent" };
      } catch (error) {
        return { kind: "failed", problem: messageOf(error) };
      }
    },
    async problem() {
      try {
        await transport.verify();
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
    close: () => transport.close(),
  };
}
