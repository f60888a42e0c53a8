import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createTransport, type SMTPTransportOptions } from "nodemailer";
import type { Clock } from "../kernel/clock.ts";
import { cutText } from "../kernel/cut-text.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Secret } from "../kernel/secret.ts";
import type { Delivery } from "./channel.ts";
import { MailConnection } from "./mail-connection.ts";

/** The maximum number of connections to the mail server. A message takes about half a second. */
const CONNECTIONS = 2;
/** The number of messages on one connection. The answers to all of them must fit into `MAX_BYTES`. */
const MESSAGES = 20;
/**
 * The number of bytes that a mail server may send on one connection. The certificates of TLS take about 6 KB, and the answers to a message
 * less than 1 KB. If each reply were a line of 512 bytes, the longest that SMTP allows, 20 messages would need 50 KB.
 */
const MAX_BYTES = 64 * 1024;
/**
 * How many times a message gets another connection when the server has closed the connection before the message was sent. The server may
 * have closed every idle connection.
 */
const REPEATS = CONNECTIONS;
/** The longest text of a problem. A mail server can refuse with `MAX_BYTES` of text. */
const MAX_PROBLEM_LENGTH = 500;

export interface MailServerAddress {
  host: string;
  port: number;
  user?: string;
  password?: Secret;
  from: string;
}

/** The methods never reject, and each ends within `limitMs`, whatever the mail server sends. */
interface MailServer {
  send(letter: { to: string; subject: string; text: string }): Promise<Delivery>;
  /** Tests the connection and the password. Undefined: no problem was found. */
  problem(): Promise<string | undefined>;
  close(): void;
}

/**
 * Sends letters. Port 465 uses TLS from the beginning. At other ports TLS begins when the server offers it. `limitMs`: for all steps of one
 * letter together. When the time is over, the connection is destroyed.
 */
export function mailServer(address: MailServerAddress, clock: Clock, limitMs: number): MailServer {
  const options = optionsOf(address, limitMs);
  const pool = createTransport({
    ...options,
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: MESSAGES,
    maxRequeues: REPEATS,
    getSocket: giving(() => connectionTo(address)),
  });
  /** Calls `onLate` when the time is over. Returns the problem with which the work ended, if any. */
  const within = async (work: () => Promise<unknown>, onLate: (late: Error) => void): Promise<string | undefined> => {
    let late: Error | undefined;
    const cancel = clock.after(limitMs, () => {
      late = new Error(`no answer within ${limitMs} ms`);
      onLate(late);
    });
    try {
      await work();
      return undefined;
    } catch (error) {
      return cutText(messageOf(late ?? error), MAX_PROBLEM_LENGTH);
    } finally {
      cancel();
    }
  };
  return {
    async send({ to, subject, text }) {
      const ending = new AbortController();
      const letter = { from: address.from, to: { name: "", address: to }, subject, text, signal: ending.signal };
      const problem = await within(
        () => pool.sendMail(letter),
        (late) => ending.abort(late),
      );
      return problem === undefined ? { kind: "sent" } : { kind: "failed", problem };
    },
    problem() {
      const connection = connectionTo(address);
      const transport = createTransport({ ...options, getSocket: giving(() => connection) });
      return within(
        () => transport.verify(),
        (late) => connection.destroy(late),
      );
    },
    close: () => pool.close(),
  };
}

function optionsOf({ host, port, user, password }: MailServerAddress, limitMs: number) {
  return {
    host,
    port,
    secure: port === 465,
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    // Destroys a connection immediately. If the library waited until the server closes its side too, the bytes that the server still sends
    // would stay in memory.
    socketCloseTimeout: 0,
    ...(user === undefined ? {} : { auth: { user, pass: password?.reveal() ?? "" } }),
  };
}

type GiveSocket = NonNullable<SMTPTransportOptions["getSocket"]>;

function giving(open: () => Socket): GiveSocket {
  return (_options, give) => give(null, { connection: open() });
}

/** The library's types demand a socket, but the library uses only what `MailConnection` has. */
function connectionTo({ host, port }: MailServerAddress): Socket {
  const connection: Duplex = new MailConnection({ host, port, maxBytes: MAX_BYTES });
  return connection as Socket;
}
