import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BareWork } from "./bare-server.ts";

const BARE_SERVER = fileURLToPath(new URL("bare-server.ts", import.meta.url));

/** Node's own server in a process of its own. Its sales under an attack are the floor for the server's sales. */
export class BareProcess {
  readonly #child: ChildProcess;
  readonly base: string;

  private constructor(child: ChildProcess, base: string) {
    this.#child = child;
    this.base = base;
  }

  static async start(work: BareWork): Promise<BareProcess> {
    const child = spawn(process.execPath, [BARE_SERVER, JSON.stringify(work)], { stdio: ["ignore", "pipe", "inherit"] });
    if (child.stdout === null) throw new Error("the bare server has no output");
    const [port] = await once(child.stdout, "data");
    return new BareProcess(child, `http://127.0.0.1:${String(port).trim()}`);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
