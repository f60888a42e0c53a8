import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A letter as a mail server has received it. */
export interface Letter {
  /** The recipients that the mail server was told. */
  recipients: string[];
  /** The header lines above the text, undecoded. */
  headers: string[];
  subject: string;
  text: string;
}

/** A mail server that keeps its letters. */
export interface TestMailServer {
  /** `127.0.0.1:PORT`. */
  host: string;
  letters: Letter[];
  /** False: the server accepts no letter for now, and its answer names the recipient. */
  works: boolean;
  /** What a refusal says besides. */
  words: string;
}

export async function mailServer(): Promise<TestMailServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket, mail);
  });
  const mail: TestMailServer = { host: await listening(server), letters: [], works: true, words: "" };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return mail;
}

function serve(socket: Socket, mail: TestMailServer): void {
  let recipients: string[] = [];
  let data: string[] | undefined;
  let rest = "";
  const command = (line: string) => {
    const recipient = /^RCPT TO:<(.*)>/i.exec(line)?.[1];
    if (recipient !== undefined && !mail.works) return `451 4.3.0 not now, <${recipient}> ${mail.words}`;
    if (recipient !== undefined) recipients.push(recipient);
    if (/^MAIL /i.test(line)) recipients = [];
    if (/^DATA/i.test(line)) data = [];
    return /^DATA/i.test(line) ? "354 go on" : /^QUIT/i.test(line) ? "221 bye" : "250 ok";
  };
  socket.on("error", () => socket.destroy());
  socket.write("220 mail.example\r\n");
  socket.on("data", (bytes: Buffer) => {
    const lines = (rest + bytes.toString("utf8")).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (data === undefined) socket.write(`${command(line)}\r\n`);
      else if (line !== ".") data.push(line.startsWith(".") ? line.slice(1) : line);
      else {
        mail.letters.push(letterOf(recipients, data));
        data = undefined;
        socket.write("250 taken\r\n");
      }
    }
  });
}

function letterOf(recipients: string[], lines: string[]): Letter {
  const end = lines.indexOf("");
  const headers = lines
    .slice(0, end)
    .join("\r\n")
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headerNamed = (name: string) => headers.find((header) => header.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1) ?? "";
  const body = lines.slice(end + 1).join("\r\n");
  const encoding = headerNamed("content-transfer-encoding").trim().toLowerCase();
  return { recipients: [...recipients], headers, subject: decodedWords(headerNamed("subject").trim()), text: decodedBody(body, encoding) };
}

function decodedBody(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8").replaceAll("\r\n", "\n");
  if (encoding !== "quoted-printable") return body.replaceAll("\r\n", "\n");
  return bytesOf(body.replaceAll("=\r\n", "")).replaceAll("\r\n", "\n");
}

/** Decodes `=?UTF-8?B?…?=` and `=?UTF-8?Q?…?=`. */
function decodedWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_whole, kind: string, word: string) =>
      kind.toLowerCase() === "b" ? Buffer.from(word, "base64").toString("utf8") : bytesOf(word.replaceAll("_", " ")),
    );
}

function bytesOf(quoted: string): string {
  const bytes = quoted.replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** A program of the operator that keeps the alerts that it gets. */
export interface AlertReceiver {
  address: string;
  taken: Record<string, unknown>[];
  /** The status of its answers. */
  status: number;
}

export async function alertReceiver(): Promise<AlertReceiver> {
  const server = createHttpServer();
  const receiver: AlertReceiver = { address: `http://${await listening(server)}/alerts?key=of-the-operator`, taken: [], status: 204 };
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (receiver.status < 300) receiver.taken.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      response.writeHead(receiver.status).end();
    });
  });
  onTestFinished(() => server.closeAllConnections());
  return receiver;
}

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
