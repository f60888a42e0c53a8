import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { pause, systemClock } from "../../../src/kernel/clock.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";

const COMPOSE = new URL("../../../docker-compose.yml", import.meta.url);
const compose = z.object({ configs: z.object({ proxy: z.object({ content: z.string() }) }) });
const UP_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** HAProxy with the configuration of the compose file, before servers of this machine. */
export class ReverseProxy {
  readonly #folder: string;
  readonly #servers: readonly { port: number }[];
  #child: ChildProcess | undefined;
  #base = "";

  constructor(folder: string, servers: readonly { port: number }[]) {
    this.#folder = folder;
    this.#servers = servers;
  }

  get base(): string {
    return this.#base;
  }

  /** The process that does the work: the first one only starts it. */
  get pid(): number {
    const starter = this.#child?.pid ?? 0;
    return Number(readFileSync(`/proc/${starter}/task/${starter}/children`, "utf8").trim().split(" ")[0]);
  }

  /** Rejects when the program is missing or does not listen in time. */
  async start(): Promise<void> {
    const port = await freePort();
    const file = join(this.#folder, "haproxy.cfg");
    writeFileSync(file, configuration(port, this.#servers));
    const child = spawn("haproxy", ["-W", "-db", "-f", file], { stdio: ["ignore", "ignore", "ignore"] });
    this.#child = child;
    let ended: string | undefined;
    child.once("error", ({ message }) => (ended = message));
    child.once("exit", (code) => (ended = `it ended with ${code}`));
    this.#base = `http://127.0.0.1:${port}`;
    await this.#listens(() => ended);
  }

  stop(): void {
    this.#child?.kill();
  }

  async #listens(ended: () => string | undefined): Promise<void> {
    const untilMs = systemClock.monotonicMs() + UP_LIMIT_MS;
    for (;;) {
      try {
        await fetch(this.#base);
        return;
      } catch (error) {
        const why = ended();
        if (why !== undefined) throw new Error(`the proxy does not listen: ${why}`);
        if (systemClock.monotonicMs() > untilMs) throw error;
        await pause(systemClock, LOOK_EVERY_MS);
      }
    }
  }
}

/**
 * Containers have names and one port each, but the servers of one machine have ports of their own. Nothing is logged. The rest of the
 * configuration is unchanged.
 */
function configuration(port: number, servers: readonly { port: number }[]): string {
  const { content } = compose.parse(parse(readFileSync(COMPOSE, "utf8"), { merge: true })).configs.proxy;
  const lines = content
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace(" resolvers docker init-addr libc,none", "")
    .split("\n")
    .filter((line) => !/^\s*(resolvers docker|nameserver |hold |server |log )/.test(line));
  return [...lines, ...servers.map((server, index) => `  server server-${index + 1} 127.0.0.1:${server.port}`), ""].join("\n");
}
