import { createServer } from "node:net";
import { systemChance } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";

/** Systems use ports from 32768 on for outgoing connections. A lower port stays free while its program restarts. */
const FIRST_PORT = 15_000;
const PORTS_END = 32_768;
const MAX_TRIES = 100;

/** Returns a free TCP port of this machine, for a program that may restart at the same port. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST_PORT + (systemChance.bytes(4).readUInt32LE() % (PORTS_END - FIRST_PORT));
    if (await isFree(port)) return port;
  }
  throw new Failure("no-free-port", "fault", `${MAX_TRIES} ports of this machine were tried, and no program can listen at any of them`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
