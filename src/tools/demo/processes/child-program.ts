import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { type Clock, pause } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { makePrivate } from "../../../kernel/private-file.ts";

/** The time limit of one start. The first start compiles everything, and a busy machine is slow. */
const START_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 10;
const TAIL_LINES = 20;

interface ChildOptions {
  /** The program's name in a failure: `the server`. */
  name: string;
  /** The files for standard output and standard error. They survive the end of the program and of this process. */
  outFile: string;
  errorFile: string;
  cwd: string;
  clock: Clock;
  /** True: the program outlives this process. */
  detached: boolean;
  /** The program's environment, plus Node's compile cache folder. Absent: the program inherits this process's environment. */
  env?: Record<string, string>;
}

type Started<T> = { kind: "ready"; value: T; elapsedMs: number } | { kind: "killed" };

/** A program of this project as a child process, with the same Node. Can start again after its end. */
export class ChildProgram {
  readonly #options: ChildOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<string> = Promise.resolve("never started");
  #isOver = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get alive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Starts the program and waits until its output shows that it is ready. `killAfterMs` kills the program after this time, ready or not;
   * the result is then `killed`. Throws a Failure when the program ends or is not ready in time.
   */
  async start<T>(args: readonly string[], isReady: (output: string) => T | undefined, killAfterMs?: number): Promise<Started<T>> {
    const { clock, name, outFile } = this.#options;
    if (this.#isOver) throw new Failure("child-over", "fault", `${name} was ended for good`);
    const beganMs = clock.monotonicMs();
    const bytesBefore = contentOf(outFile).length;
    this.#spawn(args);
    for (;;) {
      const elapsedMs = clock.monotonicMs() - beganMs;
      if (killAfterMs !== undefined && elapsedMs >= killAfterMs) {
        await this.kill();
        return { kind: "killed" };
      }
      const value = killAfterMs === undefined ? isReady(contentOf(outFile).subarray(bytesBefore).toString("utf8")) : undefined;
      if (value !== undefined) return { kind: "ready", value, elapsedMs };
      if (!this.alive) throw new Failure("child-ended", "fault", `${name} did not start: ${await this.#ended}`);
      if (elapsedMs > START_LIMIT_MS) throw new Failure("child-silent", "fault", `${name} was not ready within ${START_LIMIT_MS} ms`);
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
  }

  endForGood(): Promise<void> {
    this.#isOver = true;
    return this.kill();
  }

  /** Resolves when the program has ended, with words such as `exit code 1` or `signal SIGKILL`. */
  get ended(): Promise<string> {
    return this.#ended;
  }

  /** Asks a running program to end, and kills it after `limitMs`. Throws a Failure when it does not end with exit code 0. */
  async stop(limitMs: number): Promise<void> {
    if (!this.alive) return;
    const { name, clock } = this.#options;
    this.#child?.kill("SIGTERM");
    const limit = new AbortController();
    const late = pause(clock, limitMs, limit.signal).then(() => "late");
    const how = await Promise.race([this.#ended, late]);
    limit.abort();
    if (how === "late") {
      await this.kill();
      throw new Failure("child-stays", "fault", `${name} did not end within ${limitMs} ms of SIGTERM`);
    }
    if (how !== "exit code 0") throw new Failure("child-ended", "fault", `${name} ended with ${how} when it was asked to stop`);
  }

  /** Lets the program outlive this process. */
  release(): void {
    this.#child?.unref();
  }

  /** Returns the last lines of standard error, to explain a failure. If standard error is empty: the last lines of standard output. */
  tail(): string[] {
    const { errorFile, outFile } = this.#options;
    const errors = linesOf(errorFile);
    return (errors.length > 0 ? errors : linesOf(outFile)).slice(-TAIL_LINES);
  }

  #spawn(args: readonly string[]): void {
    const { cwd, env, detached, outFile, errorFile } = this.#options;
    for (const file of [outFile, errorFile]) makePrivate(file);
    const out = openSync(outFile, "a");
    const errors = openSync(errorFile, "a");
    const stdio: ["ignore", number, number] = ["ignore", out, errors];
    const child = spawn(process.execPath, args, { cwd, detached, stdio, ...(env === undefined ? {} : { env: { ...env, ...compiled() } }) });
    closeSync(out);
    closeSync(errors);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
      child.once("error", (error) => resolve(error.message));
    });
  }
}

/** Returns the environment variable that names Node's compile cache, if Node uses one. With the cache the child need not compile again. */
function compiled(): Record<string, string> {
  const ofThisNode = getCompileCacheDir();
  return ofThisNode === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisNode) };
}

function linesOf(file: string): string[] {
  return contentOf(file).toString("utf8").split("\n").filter(Boolean);
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
