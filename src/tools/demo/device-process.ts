import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../kernel/clock.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { ChildProgram } from "./child-program.ts";
import { DeviceControl } from "./device-control.ts";
import { moscowTime } from "./ledger.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const STOP_LIMIT_MS = 5_000;

interface DeviceOptions {
  line: "tcp" | "serial";
  /** Faults of the emulator's command line. */
  faults: readonly string[];
  /** Folder of the run; the device keeps its drive in one of its own below. */
  dataDir: string;
  seed: number;
  clock: Clock;
  detached: boolean;
}

/** The device of the emulator as a process of its own: new at the beginning, and the same after each start. */
export class DeviceProcess {
  readonly #options: DeviceOptions;
  readonly #program: ChildProgram;
  readonly #drive: string;
  /** Holds the pseudo-terminal: its path must not depend on the folder's name, which may hold anything. */
  readonly #ptyFolder: string | undefined;
  #address = "";
  #control: DeviceControl;

  constructor(options: DeviceOptions) {
    this.#options = options;
    const dataDir = resolve(options.dataDir);
    makeFolder(dataDir);
    this.#drive = mkdtempSync(join(dataDir, "demo-device-"));
    this.#ptyFolder = options.line === "serial" ? mkdtempSync(join(tmpdir(), "fiscal-demo-")) : undefined;
    this.#control = new DeviceControl("", options.clock);
    this.#program = new ChildProgram({
      name: "the device",
      outFile: join(dataDir, "demo-device.out"),
      errorFile: join(dataDir, "demo-device.err"),
      cwd: dataDir,
      clock: options.clock,
      detached: options.detached,
    });
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** For the server: the same after each start. */
  get address(): string {
    return this.#address;
  }

  get control(): DeviceControl {
    return this.#control;
  }

  /** Starts it with its faults and with the shop's time. A Failure when it does not start. */
  async start(): Promise<void> {
    const { faults, clock } = this.#options;
    const time = moscowTime(clock.nowMs()).replace(" ", "T");
    await this.#start(["--clock", time, ...faults.flatMap((spec) => ["--fault", spec])]);
  }

  /** Somebody has repaired it: the same drive, at the same address, without faults. */
  async repair(): Promise<void> {
    await this.stop();
    await this.#start([]);
  }

  /** kill -9, and it is never started again. */
  endForGood(): Promise<void> {
    this.#forgetTerminal();
    return this.#program.endForGood();
  }

  async stop(): Promise<void> {
    await this.#program.stop(STOP_LIMIT_MS);
  }

  /** Stops it for good. */
  async close(): Promise<void> {
    await this.stop();
    this.#forgetTerminal();
  }

  release(): void {
    this.#program.release();
  }

  tail(): string[] {
    return this.#program.tail();
  }

  async #start(more: readonly string[]): Promise<void> {
    const { seed, clock } = this.#options;
    const args = ["emulate", "shtrih-m", "--data", this.#drive, "--seed", String(seed), "--control", "127.0.0.1:0"];
    const started = await this.#program.start([CLI, ...args, ...this.#place(), ...more], readyLine);
    if (started.kind === "killed") return;
    this.#address = started.value.address;
    this.#control = new DeviceControl(started.value.control, clock);
  }

  /** A port once taken is taken again: the server knows it. */
  #place(): string[] {
    if (this.#ptyFolder !== undefined) return ["--pty", join(this.#ptyFolder, "register")];
    const taken = /^shtrih-m\+(tcp:\/\/.+)$/.exec(this.#address)?.[1];
    return taken === undefined ? [] : ["--listen", taken];
  }

  #forgetTerminal(): void {
    if (this.#ptyFolder !== undefined) rmSync(this.#ptyFolder, { recursive: true, force: true });
  }
}

/** The one line of standard output (emulator-surface); undefined while it is not whole. */
export function readyLine(output: string): { address: string; control: string } | undefined {
  const [line, rest] = output.split("\n", 2);
  if (line === undefined || rest === undefined) return undefined;
  const { address, control } = JSON.parse(line) as Record<string, unknown>;
  return typeof address === "string" && typeof control === "string" ? { address, control } : undefined;
}
