import { createHash } from "node:crypto";
import { unlinkSync } from "node:fs";
import { createConnection, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The most that is read of what a holder says of itself. It is a line of about a hundred characters; somebody else may listen on the
 * name.
 */
const MAX_SAID_BYTES = 1_000;
/** Callers that may be told at the same time. Each is told one line. */
const MAX_CALLERS = 16;

/** Returns the name of the socket that stands for the thing. On Linux it is an abstract socket, which all users of the machine share. */
export function lockSocketName(thing: string): string {
  const name = `fiscal-register-${createHash("sha256").update(thing).digest("hex").slice(0, 24)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Listens on the name. Returns undefined when another living process listens there. `says`: what each caller is told. */
export async function listenAlone(name: string, says = ""): Promise<Server | undefined> {
  const server = await tryListen(name, says);
  if (server !== undefined || !name.startsWith("/")) return server;
  // On systems other than Linux and Windows the socket is a file that outlives its process. A connection shows whether
  // a process listens.
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
    // A held lock must not keep the process running when it has nothing else to do.
    server.unref();
  });
}

/** Returns what the process that listens on the name says. Undefined when none listens. Ends only when that process answers or ends. */
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
