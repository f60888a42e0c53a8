import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";

/**
 * A mail server that answers as it should until one command comes, and from then on sends the same text without end,
 * or nothing at all when the text is empty.
 */
export interface FloodingMailServer {
  /** `127.0.0.1:PORT`. */
  host: string;
  /** The number of connections that were opened, and of those that are still open. */
  opened: number;
  open: number;
  letters: number;
  /** How often the command came. */
  reached: number;
}

interface Flood {
  /** The beginning of the command, `greeting`, `text` for the end of a letter, or `never`. */
  from: string;
  text: string;
  /** Offers TLS with this certificate. */
  secure?: SecureContext;
}

const PIECE_BYTES = 64 * 1024;

export async function floodingMailServer(flood: Flood): Promise<FloodingMailServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    mail.opened += 1;
    mail.open += 1;
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      mail.open -= 1;
    });
    if (flood.from === "greeting") pour(socket, flood.text);
    else socket.write("220 mail.example\r\n");
    serve(socket, mail, flood);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const mail = { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, opened: 0, open: 0, letters: 0, reached: 0 };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return mail;
}

function serve(socket: Socket, mail: FloodingMailServer, flood: Flood): void {
  let inText = false;
  let rest = "";
  const onLine = (line: string) => {
    if (inText && line !== ".") return;
    const command: string = inText ? "text" : line.slice(0, 4).toUpperCase().trim();
    if (inText) mail.letters += 1;
    inText = command === "DATA";
    if (command === "STAR") startTls();
    else if (command === flood.from) {
      mail.reached += 1;
      pour(socket, flood.text);
    } else if (command === "EHLO")
      socket.write(flood.secure === undefined ? "250 mail.example\r\n" : "250-mail.example\r\n250 STARTTLS\r\n");
    else socket.write(command === "DATA" ? "354 go on\r\n" : "250 ok\r\n");
  };
  const startTls = () => {
    socket.removeListener("data", onData);
    socket.write("220 ready\r\n");
    const secured = new TLSSocket(socket, { isServer: true, ...(flood.secure === undefined ? {} : { secureContext: flood.secure }) });
    secured.on("error", () => socket.destroy());
    serve(secured, mail, { from: flood.from, text: flood.text });
  };
  const onData = (bytes: Buffer) => {
    const lines = (rest + bytes.toString("utf8")).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
  socket.on("data", onData);
}

function pour(socket: Socket, text: string): void {
  if (text === "") return;
  const piece = Buffer.from(text.repeat(Math.ceil(PIECE_BYTES / text.length)));
  const goOn = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", goOn);
  goOn();
}
