import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, pause } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { ChildProgram } from "./child-program.ts";
import { listedStores, readyPlatform, toldInstallation } from "./platform-answer-schema.ts";

const CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));
const INSTALLED_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 100;
/** The administrator that the sandbox makes by default. */
const ADMINISTRATOR = "admin@shop";

interface PlatformOptions {
  /** The folder of the run, for the sandbox's output files. */
  dataDir: string;
  /**
   * The port at which the demo's platform listened, free again by now. The server asks this port who a user is, so the sandbox must use the
   * same port.
   */
  port: string;
  server: string;
  clock: Clock;
}

/** Runs the sandbox after the demo, so that people can open the settings page in the platform's frame. */
export class PlatformProcess {
  readonly #options: PlatformOptions;
  readonly #program: ChildProgram;
  #base = "";
  #token = "";

  constructor(options: PlatformOptions) {
    const dataDir = resolve(options.dataDir);
    this.#options = options;
    this.#program = new ChildProgram({
      name: "the sandbox",
      outFile: join(dataDir, "demo-platform.out"),
      errorFile: join(dataDir, "demo-platform.err"),
      cwd: dataDir,
      clock: options.clock,
      detached: true,
    });
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** The platform's page with the settings page in a frame. */
  get window(): string {
    return `${this.#base}/sandbox/window/${ADMINISTRATOR}`;
  }

  /** Throws a Failure when the sandbox does not start. */
  async start(): Promise<void> {
    const { port, server } = this.#options;
    const started = await this.#program.start([CLI, "sandbox", "--port", port, "--solution", server], readyLine);
    if (started.kind !== "ready") return;
    this.#base = started.value.base;
    this.#token = started.value.token;
  }

  /** Waits for the installation. Returns the sandbox's account and its first point of sale. Throws a Failure after the time limit. */
  async installed(): Promise<{ id: string; storeId: string }> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + INSTALLED_LIMIT_MS;
    for (;;) {
      const { accountId, status } = toldInstallation.parse(await (await fetch(`${this.#base}/sandbox/solution`)).json());
      if (status === "Activated" || status === "SettingsRequired") return { id: accountId, storeId: await this.#firstStore() };
      if (clock.monotonicMs() >= untilMs) throw new Failure("wrong-answer", "fault", "the platform of the window did not get the server");
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  async #firstStore(): Promise<string> {
    const headers = { authorization: `Bearer ${this.#token}`, "accept-encoding": "gzip" };
    const listed = await fetch(`${this.#base}/api/remap/1.2/entity/retailstore?limit=1`, { headers });
    const [first] = listedStores.parse(await listed.json()).rows;
    return first?.id ?? "";
  }

  release(): void {
    this.#program.release();
  }
}

/** Reads the line of standard output. Undefined: the line is not complete yet. */
function readyLine(output: string): { base: string; token: string } | undefined {
  const [line, rest] = output.split("\n", 2);
  return line === undefined || rest === undefined ? undefined : readyPlatform.parse(JSON.parse(line));
}
