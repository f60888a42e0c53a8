import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/kernel/clock.ts";
import { ChildProgram } from "../../../src/tools/demo/processes/child-program.ts";
import { DeviceControl } from "../../../src/tools/demo/processes/device-control.ts";
import { readyLine } from "../../../src/tools/demo/processes/device-process.ts";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";
import type { MortalProgram } from "./reaper.ts";

const CLI = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url));

/** The device emulator as a process of its own. It has the same drive and the same port after each start. */
export class DeviceProgram implements MortalProgram {
  /** The folder with the files of the drive and the register, and nothing else. */
  readonly driveFolder: string;
  readonly #program: ChildProgram;
  #address = "";
  #control = "";
  #startedInMs = 0;

  constructor(folder: string) {
    this.driveFolder = join(folder, "drive");
    mkdirSync(this.driveFolder, { recursive: true });
    this.#program = new ChildProgram({
      name: "the device",
      outFile: join(folder, "demo-device.out"),
      errorFile: join(folder, "demo-device.err"),
      cwd: folder,
      clock: systemClock,
      detached: false,
      // Receipts show the time of the shop, whatever the machine's zone is.
      env: { TZ: "Europe/Moscow" },
    });
  }

  /** The address at which the server reaches the device. */
  get address(): string {
    return this.#address;
  }

  get startedInMs(): number {
    return this.#startedInMs;
  }

  get control(): DeviceControl {
    return new DeviceControl(this.#control, systemClock);
  }

  async start(killAfterMs?: number): Promise<"up" | "killed"> {
    const taken = /^shtrih-m\+(tcp:\/\/.+)$/.exec(this.#address)?.[1];
    const listen = taken ?? `tcp://127.0.0.1:${await freePort()}`;
    const args = [CLI, "emulate", "shtrih-m", "--data", this.driveFolder, "--control", "127.0.0.1:0", "--listen", listen];
    const started = await this.#program.start(args, readyLine, killAfterMs);
    if (started.kind === "killed") return "killed";
    this.#address = started.value.address;
    this.#control = started.value.control;
    this.#startedInMs = started.elapsedMs;
    return "up";
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  tail(): string[] {
    return this.#program.tail();
  }
}
