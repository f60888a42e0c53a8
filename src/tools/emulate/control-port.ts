import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** A longer line cuts the connection. An order has some dozens of characters. */
const MAX_LINE_CHARACTERS = 65_536;

interface ControlPort {
  /** The opened port; any free port if 0 was requested. */
  port: number;
  close(): Promise<void>;
}

/** Answers JSON lines over TCP, in order. `answer` must not reject. Rejects with the system's error when the port cannot be opened. */
export async function openControlPort(
  { host, port }: { host: string; port: number },
  answer: (line: string) => Promise<Record<string, unknown>>,
): Promise<ControlPort> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // The client has disconnected, so nobody can be told of the error.
    socket.on("error", () => socket.destroy());
    serve(socket, answer);
  });
  await listen(server, host, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function serve(socket: Socket, answer: (line: string) => Promise<Record<string, unknown>>): void {
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  socket.on("data", (chunk: Buffer) => {
    waiting = chunk.includes(NEW_LINE) ? 0 : waiting + chunk.length;
    if (waiting > MAX_LINE_CHARACTERS) socket.destroy();
  });
  lines.on("line", (line) => {
    if (line.trim() === "") return;
    turn = turn.then(async () => socket.write(`${JSON.stringify(await answer(line))}\n`));
  });
}

const NEW_LINE = 0x0a;

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
