import { createTransport } from "nodemailer";
import { cutText } from "../kernel/cut-text.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Secret } from "../kernel/secret.ts";
import { type Delivery, SEND_LIMIT_MS } from "./channel.ts";

/** The maximum number of connections to the mail server. A message takes about half a second. */
const CONNECTIONS = 2;
/** The longest problem that is told. A mail server can refuse with a megabyte of text. */
const MAX_PROBLEM_LENGTH = 500;

export interface MailServerAddress {
  host: string;
  port: number;
  user?: string;
  password?: Secret;
  from: string;
}

/** Its methods never reject. */
interface MailServer {
  send(letter: { to: string; subject: string; text: string }): Promise<Delivery>;
  /** Tests the connection and the password. Undefined: no problem was found. */
  problem(): Promise<string | undefined>;
  close(): void;
}

/** Sends letters. Port 465 uses TLS from the beginning. At other ports TLS begins when the server offers it. */
export function mailServer({ host, port, user, password, from }: MailServerAddress): MailServer {
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
    async send({ to, subject, text }) {
      try {
        await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
        return { kind: "sent" };
      } catch (error) {
        return { kind: "failed", problem: problemOf(error) };
      }
    },
    async problem() {
      try {
        await transport.verify();
        return undefined;
      } catch (error) {
        return problemOf(error);
      }
    },
    close: () => transport.close(),
  };
}

function problemOf(error: unknown): string {
  return cutText(messageOf(error), MAX_PROBLEM_LENGTH);
}
