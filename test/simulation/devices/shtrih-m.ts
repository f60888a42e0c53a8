import type { Clock } from "../../../src/kernel/clock.ts";
import type { Register } from "../../../src/registers/register.ts";
import { commandOf, nameOf } from "../../../src/registers/shtrih-m/commands/commands.ts";
import type { ShtrihFront } from "../../../src/registers/shtrih-m/device/front.ts";
import type { Fault, FaultName } from "../../../src/registers/shtrih-m/device/machine/faults.ts";
import type { PersonalityName } from "../../../src/registers/shtrih-m/device/machine/personality.ts";
import { openShtrihDevice } from "../../../src/registers/shtrih-m/device/open.ts";
import { ShtrihRegister } from "../../../src/registers/shtrih-m/register.ts";
import { Connection } from "../../../src/registers/shtrih-m/session/connection.ts";
import { STX } from "../../../src/registers/shtrih-m/wire/frame.ts";
import { MemoryDrive } from "../../../src/registers/virtual/drive.ts";
import type { Life } from "../life.ts";
import { LONGEST_HESITATION_MS, LONGEST_JUMP_MS, LONGEST_POWER_CUT_MS } from "../troubles.ts";
import { Cable } from "./cable.ts";
import type { SimulatedDevice } from "./device.ts";
import { LaboratoryDrive } from "./laboratory.ts";
import type { DeviceSurroundings } from "./surroundings.ts";
import { watched } from "./watched-register.ts";

const PASSWORDS = { operator: 1, system: 30 };
const ACKNOWLEDGE_MS = 3_000;
/** The longest printing of a receipt. */
const LONGEST_PRINT_MS = 3_000;
/** The longest time for which the device is busy with work of its own. */
const LONGEST_BUSY_MS = 20_000;
const NO_POWER = "касса обесточена";

/** Faults of any command. The next list has those of a command that registers. */
const ANYWHERE: readonly FaultName[] = ["lose-request", "lose-answer", "garble-answer", "nak", "silent", "byte-by-byte", "glue", "noise"];
const REGISTERING: readonly FaultName[] = [...ANYWHERE, "lose-answer", "busy", "paper-out", "power-cut-before", "power-cut-after"];

/** The parts of a device that stay when another drive is put in. */
interface Model {
  personality: PersonalityName;
  ffd: "1.05" | "1.2";
  printMs: number;
  /** The device's own memory. It is separate from the drive. */
  register: MemoryDrive;
}

/** The real driver and the byte-level front of the virtual device, with a cable between them. */
export class SimulatedShtrih implements SimulatedDevice {
  readonly address = "shtrih-m+tcp://127.0.0.1:7778";
  readonly opensShifts: boolean;
  readonly drive: LaboratoryDrive;
  readonly #around: DeviceSurroundings;
  readonly #model: Model;
  readonly #cable: Cable;
  readonly #print: "paper" | "none";
  #front: ShtrihFront | undefined;

  private constructor(around: DeviceSurroundings, drive: LaboratoryDrive, model: Model) {
    const { clock, chance, troubles } = around;
    this.#around = around;
    this.#model = model;
    this.drive = drive;
    this.opensShifts = model.personality === "cashcore";
    this.#print = chance.pick(["paper", "none"] as const);
    this.#cable = new Cable({
      clock,
      chance,
      troubles,
      accept: (far) => void this.#device.serve(far),
      sent: (message) => this.#interfere(message),
    });
  }

  static async begin(around: DeviceSurroundings): Promise<SimulatedShtrih> {
    const { clock, chance } = around;
    const drive = new LaboratoryDrive(clock);
    const model: Model = {
      personality: chance.pick(["desktop", "cashcore", "nano"] as const),
      ffd: chance.pick(["1.05", "1.2"] as const),
      printMs: chance.happens(0.5) ? 0 : chance.below(LONGEST_PRINT_MS),
      register: new MemoryDrive(),
    };
    const device = new SimulatedShtrih(around, drive, model);
    await device.#open(drive);
    return device;
  }

  get #device(): ShtrihFront {
    if (this.#front === undefined) throw new Error("the device has not been opened");
    return this.#front;
  }

  /** Starts a new device. All connections to the old one end with its power. */
  async #open(drive: MemoryDrive): Promise<void> {
    const { chance, zone } = this.#around;
    const { register, ...model } = this.#model;
    let opened: ShtrihFront | undefined;
    const { front } = await openShtrihDevice({
      clock: this.#clock(),
      chance,
      zone,
      storages: { drive, register },
      ...model,
      faultChance: (limit) => chance.below(limit),
      onPower: (on) => {
        if (opened !== undefined && opened === this.#front) this.#powered(on);
      },
    });
    opened = front;
    this.#front?.setPower(false);
    this.#front = front;
    this.#cable.mend();
  }

  /**
   * The device's clock. It runs ahead by what the drive knows of, which the till's clock follows. A planned fault `clock-jump` would get
   * lost with its command, or when another one strikes the same command: then the two clocks would part.
   */
  #clock(): Clock {
    const { clock } = this.#around;
    return {
      nowMs: () => clock.nowMs() + this.drive.clockOffsetMs,
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, callback) => clock.after(delayMs, callback),
    };
  }

  registerOf(life: Life): Register {
    const connection = new Connection({
      link: this.#cable.linkOf(life),
      clock: life.clock(this.#around.clock),
      passwords: PASSWORDS,
      acknowledgeMs: ACKNOWLEDGE_MS,
      note() {},
    });
    return watched(new ShtrihRegister(connection, this.#print), life, this.drive, this.#around);
  }

  jumpClock(byMs: number): void {
    this.drive.movingClock(byMs);
  }

  async putBack(documents: number): Promise<void> {
    await this.#open(await this.drive.earlier(documents));
  }

  async putRight(): Promise<void> {
    await this.#open(this.drive);
  }

  tend(): void {
    this.#device.setPower(true);
    this.#device.setPaper(true);
    this.#cable.mend();
  }

  #powered(on: boolean): void {
    if (on) this.#cable.mend();
    else this.#cable.shut(NO_POWER);
  }

  /** Chooses what happens to the device while a command is on its way to it. */
  #interfere(message: Uint8Array): void {
    const { clock, chance } = this.#around;
    const troubles = this.#around.troubles();
    if (chance.happens(troubles.powerCut)) clock.after(chance.below(LONGEST_BUSY_MS / 10), () => this.#cutPower());
    if (message[0] !== STX) return;
    const name = nameOf(message.subarray(2));
    if (name === undefined) return;
    const { registers, code } = commandOf(name);
    if (chance.happens(troubles.clockJump / 10)) this.jumpClock(chance.below(LONGEST_JUMP_MS) - LONGEST_JUMP_MS / 3);
    if (!chance.happens(registers ? troubles.faultAtRegistering : troubles.faultAtQuestion)) return;
    const fault = chance.pick(registers ? REGISTERING : ANYWHERE);
    this.#device.addFault({ name: fault, nth: 1, command: Buffer.from(code).toString("hex").toUpperCase(), ...this.#valueOf(fault) });
    if (fault === "paper-out") clock.after(chance.below(LONGEST_POWER_CUT_MS), () => this.#device.setPaper(true));
  }

  #valueOf(fault: FaultName): Pick<Fault, "value"> {
    const { chance } = this.#around;
    switch (fault) {
      case "silent":
        return { value: 1 + chance.below(LONGEST_HESITATION_MS) };
      case "busy":
        return { value: 1 + chance.below(LONGEST_BUSY_MS) };
      case "power-cut-before":
      case "power-cut-after":
        return { value: 1 + chance.below(LONGEST_POWER_CUT_MS) };
      default:
        return {};
    }
  }

  #cutPower(): void {
    this.#device.setPower(false);
    this.#around.clock.after(this.#around.chance.below(LONGEST_POWER_CUT_MS), () => this.#device.setPower(true));
  }
}
