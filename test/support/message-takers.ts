import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** A provider of text messages for the channel `http://…`. It keeps the messages. */
export interface TextProvider {
  address: string;
  taken: { phone: string; text: string }[];
  /** False: the provider answers 500. */
  works: boolean;
}

const messageSchema = z.object({ phone: z.string(), text: z.string() });

export async function textProvider(): Promise<TextProvider> {
  const server = createHttpServer();
  const provider: TextProvider = { address: `http://${await listening(server)}/send`, taken: [], works: true };
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (provider.works) provider.taken.push(messageSchema.parse(JSON.parse(Buffer.concat(chunks).toString("utf8"))));
      response.writeHead(provider.works ? 200 : 500).end();
    });
  });
  return provider;
}

/** A mail server that refuses everybody, and names in its answer whom it refuses. */
export async function refusingMailServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.write("220 mail.example\r\n");
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      for (const line of bytes.toString("utf8").split("\r\n").filter(Boolean)) {
        const address = /^RCPT TO:(.*)$/i.exec(line)?.[1];
        socket.write(address === undefined ? "250 ok\r\n" : `550 5.1.1 ${address} is nobody here\r\n`);
      }
    });
  });
  return `smtp://${await listening(server)}?from=shop@example.org`;
}

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
