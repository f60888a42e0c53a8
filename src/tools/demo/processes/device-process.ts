import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../kernel/clock.ts";
import { makeFolder } from "../../../kernel/folder.ts";
import { moscowTime } from "../ledger.ts";
import { ChildProgram } from "./child-program.ts";
import { DeviceControl } from "./device-control.ts";
import { freePort } from "./free-port.ts";

const CLI = fileURLToPath(new URL("../../../cli.ts", import.meta.url));
const STOP_LIMIT_MS = 20_000;

interface DeviceOptions {
  line: "tcp" | "serial";
  faults: readonly string[];
  /** The folder of the run, with a subfolder for the device's drive. */
  dataDir: string;
  seed: number;
  clock: Clock;
  detached: boolean;
}

/** The emulated device as a child process. The drive is new at the beginning, and survives each restart. */
export class DeviceProcess {
  readonly #options: DeviceOptions;
  readonly #program: ChildProgram;
  readonly #drive: string;
  /**
   * The folder of the pseudo-terminal. It is not in the run's folder, whose path may contain characters that a serial address does not
   * allow.
   */
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

  /** The address for the server, the same after each restart. */
  get address(): string {
    return this.#address;
  }

  get control(): DeviceControl {
    return this.#control;
  }

  /** Starts the device with its faults and the shop's time. Throws a Failure when it does not start. */
  async start(): Promise<void> {
    const { faults, clock } = this.#options;
    const time = moscowTime(clock.nowMs()).replace(" ", "T");
    await this.#start(["--clock", time, ...faults.flatMap((spec) => ["--fault", spec])]);
  }

  /** Restarts the device as after a repair: the same drive and address, no faults. */
  async repair(): Promise<void> {
    await this.stop();
    await this.#start([]);
  }

  /** Ends the device and prevents a later start. */
  endForGood(): Promise<void> {
    this.#forgetTerminal();
    return this.#program.endForGood();
  }

  async stop(): Promise<void> {
    await this.#program.stop(STOP_LIMIT_MS);
  }

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
    const started = await this.#program.start([CLI, ...args, ...(await this.#place()), ...more], readyLine);
    if (started.kind === "killed") return;
    this.#address = started.value.address;
    this.#control = new DeviceControl(started.value.control, clock);
  }

  /** Returns the options for the line. Reuses the port of the first start, so that the address stays the same. */
  async #place(): Promise<string[]> {
    if (this.#ptyFolder !== undefined) return ["--pty", join(this.#ptyFolder, "register")];
    const taken = /^shtrih-m\+(tcp:\/\/.+)$/.exec(this.#address)?.[1];
    return ["--listen", taken ?? `tcp://127.0.0.1:${await freePort()}`];
  }

  #forgetTerminal(): void {
    if (this.#ptyFolder !== undefined) rmSync(this.#ptyFolder, { recursive: true, force: true });
  }
}

/** Reads the line of standard output (emulator-surface). Undefined: no complete line with both values yet. */
export function readyLine(output: string): { address: string; control: string } | undefined {
  const [line, rest] = output.split("\n", 2);
  if (line === undefined || rest === undefined) return undefined;
  const { address, control } = JSON.parse(line) as Record<string, unknown>;
  return typeof address === "string" && typeof control === "string" ? { address, control } : undefined;
}
