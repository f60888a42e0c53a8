import { createHash } from "node:crypto";
import { unlinkSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The limit of characters in a holder's description (`says`). A description has about a hundred, but another program that listens on the
 * name may send more.
 */
const MAX_SAID_BYTES = 1_000;
/** The limit of parallel callers. Each gets one description. */
const MAX_CALLERS = 16;

/** Returns the name of the lock's socket. On Linux it is an abstract socket, whose name all users of the machine share. */
export function lockSocketName(thing: string): string {
  const name = `fiscal-register-${createHash("sha256").update(thing).digest("hex").slice(0, 24)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Listens on the name and sends `says` to each caller. Undefined: the name is in use, by another process or by this process. */
export async function listenAlone(name: string, says = ""): Promise<Server | undefined> {
  const server = await tryListen(name, says);
  if (server !== undefined || !name.startsWith("/")) return server;
  // Outside Linux and Windows the socket is a file that outlives its process. If nobody answers a connection, the file is removed.
  if ((await saidBy(name)) !== undefined) return undefined;
  unlinkSync(name);
  return tryListen(name, says);
}

function tryListen(name: string, says: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((caller) => caller.on("error", () => caller.destroy()).end(says, () => caller.destroy()));
    server.maxConnections = MAX_CALLERS;
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen(name, () => resolve(server));
    // A held lock must not keep the process alive.
    server.unref();
  });
}

/** Returns what the listening process sends, cut at `MAX_SAID_BYTES`. Undefined: no connection was made. `signal` ends the wait. */
export function saidBy(name: string, signal?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    let isConnected = false;
    let said = "";
    const call = createConnection({ path: name, ...(signal === undefined ? {} : { signal }) });
    call.once("connect", () => {
      isConnected = true;
    });
    call.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(0, MAX_SAID_BYTES);
      if (said.length === MAX_SAID_BYTES) call.destroy();
    });
    call.on("error", () => {});
    call.once("close", () => resolve(isConnected ? said : undefined));
  });
}

export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
