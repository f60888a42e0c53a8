import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, rmSync } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { type Clock, pause } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Link } from "../../registers/links/link.ts";
import { listenTcp, type TcpListener } from "../../registers/links/tcp.ts";

/** The pause between two checks whether the path exists. The path appears some milliseconds after the start. */
const READY_PAUSE_MS = 20;
const READY_MS = 5_000;
const GONE_MS = 2_000;

/**
 * A pseudo-terminal at a path, made by socat because Node cannot make one. A program that opens the path exchanges bytes with the device
 * over a link. The terminal exists from `start` to `stop`, however often the path is opened and closed.
 */
export class PseudoTerminal {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #accept: (link: Link) => void;
  #socat: ChildProcess | undefined;
  #listener: TcpListener | undefined;
  /** Keeps the terminal open on this side. Otherwise socat would end when the first host closes the terminal. */
  #held: FileHandle | undefined;

  constructor(path: string, clock: Clock, accept: (link: Link) => void) {
    this.#path = path;
    this.#clock = clock;
    this.#accept = accept;
  }

  /** Throws a `Failure` when socat is missing or ends, when the path already exists, or when the path does not appear in time. */
  async start(): Promise<void> {
    if (!(await this.#free())) throw failure(`${this.#path} is there already`);
    const listener = await listenTcp({ host: "127.0.0.1", port: 0 }, this.#clock, this.#accept);
    this.#listener = listener;
    const terminal = `PTY,link=${this.#path},raw,echo=0`;
    // The TCP side is ready before the path exists, so no byte of an early host is lost.
    const socat = spawn("socat", [`TCP:127.0.0.1:${listener.place.port},nodelay`, terminal], { stdio: ["ignore", "ignore", "pipe"] });
    this.#socat = socat;
    let words = "";
    socat.stderr.on("data", (chunk: Buffer) => {
      words = chunk.toString("utf8").trim();
    });
    const ended = new Promise<string>((resolve) => {
      socat.once("error", (error: NodeJS.ErrnoException) =>
        resolve(error.code === "ENOENT" ? "--pty needs socat, which is not installed" : error.message),
      );
      socat.once("exit", () => resolve(`socat ended: ${words}`));
    });
    const problem = await Promise.race([this.#ready(), ended]);
    if (problem === undefined) return;
    await this.stop();
    throw failure(problem);
  }

  /** Removes the path. The terminal can start again. */
  async stop(): Promise<void> {
    const socat = this.#socat;
    this.#socat = undefined;
    // The path is removed first, so that no host opens a terminal that is about to end. Not every host would notice the end.
    if (this.#held !== undefined) rmSync(this.#path, { force: true });
    await this.#held?.close();
    this.#held = undefined;
    if (socat?.pid !== undefined && socat.exitCode === null && socat.signalCode === null) {
      const exit = once(socat, "exit");
      socat.kill("SIGTERM");
      await exit;
    }
    await this.#listener?.close();
    this.#listener = undefined;
  }

  /** Whether the path is free. Waits for the terminal of a killed emulator, which disappears within half a second. */
  async #free(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < GONE_MS; waitedMs += READY_PAUSE_MS) {
      if (!(await exists(this.#path))) return true;
      await pause(this.#clock, READY_PAUSE_MS);
    }
    return false;
  }

  async #ready(): Promise<string | undefined> {
    for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += READY_PAUSE_MS) {
      if (await exists(this.#path)) {
        this.#held = await open(this.#path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
        return undefined;
      }
      await pause(this.#clock, READY_PAUSE_MS);
    }
    return `${this.#path} did not appear within ${READY_MS} ms`;
  }
}

function failure(problem: string): Failure {
  return new Failure("pseudo-terminal", "dependency", problem);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
