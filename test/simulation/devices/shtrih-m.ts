import type { Register } from "../../../src/registers/register.ts";
import { commandOf, nameOf } from "../../../src/registers/shtrih-m/commands.ts";
import { Connection } from "../../../src/registers/shtrih-m/connection.ts";
import type { Fault, FaultName } from "../../../src/registers/shtrih-m/device/faults.ts";
import type { ShtrihFront } from "../../../src/registers/shtrih-m/device/front.ts";
import { openShtrihDevice } from "../../../src/registers/shtrih-m/device/open.ts";
import type { PersonalityName } from "../../../src/registers/shtrih-m/device/personality.ts";
import { STX } from "../../../src/registers/shtrih-m/frame.ts";
import { ShtrihRegister } from "../../../src/registers/shtrih-m/register.ts";
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
/** A long receipt prints for seconds. */
const LONGEST_PRINT_MS = 3_000;
/** A device is busy with its own affairs for so long at most. */
const LONGEST_BUSY_MS = 20_000;
const NO_POWER = "касса обесточена";

/** Whatever the command, and only of one that registers. */
const ANYWHERE: readonly FaultName[] = ["lose-request", "lose-answer", "garble-answer", "nak", "silent", "byte-by-byte", "glue", "noise"];
const REGISTERING: readonly FaultName[] = [...ANYWHERE, "lose-answer", "busy", "paper-out", "power-cut-before", "power-cut-after"];

/** The real driver and the byte-level front of the virtual device, with a cable between them. */
export class SimulatedShtrih implements SimulatedDevice {
  readonly address = "shtrih-m+tcp://127.0.0.1:7778";
  readonly opensShifts: boolean;
  readonly drive: LaboratoryDrive;
  readonly #around: DeviceSurroundings;
  readonly #front: ShtrihFront;
  readonly #cable: Cable;
  readonly #print: "paper" | "none";

  private constructor(around: DeviceSurroundings, front: ShtrihFront, drive: LaboratoryDrive, personality: PersonalityName) {
    const { clock, chance, troubles } = around;
    this.#around = around;
    this.#front = front;
    this.drive = drive;
    this.opensShifts = personality === "cashcore";
    this.#print = chance.pick(["paper", "none"] as const);
    this.#cable = new Cable({
      clock,
      chance,
      troubles,
      accept: (far) => void front.serve(far),
      sent: (message) => this.#interfere(message),
    });
  }

  static async begin(around: DeviceSurroundings): Promise<SimulatedShtrih> {
    const { clock, chance, zone } = around;
    const drive = new LaboratoryDrive(clock);
    const personality = chance.pick(["desktop", "cashcore", "nano"] as const);
    let powered: (on: boolean) => void = () => {};
    const { front } = await openShtrihDevice({
      clock,
      chance,
      zone,
      storages: { drive, register: new MemoryDrive() },
      personality,
      ffd: chance.pick(["1.05", "1.2"] as const),
      printMs: chance.happens(0.5) ? 0 : chance.below(LONGEST_PRINT_MS),
      faultChance: (limit) => chance.below(limit),
      onPower: (on) => powered(on),
    });
    const device = new SimulatedShtrih(around, front, drive, personality);
    powered = (on) => device.#powered(on);
    return device;
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
    this.drive.movingClock();
    this.#front.addFault({ name: "clock-jump", nth: 1, value: byMs });
  }

  tend(): void {
    this.#front.setPower(true);
    this.#front.setPaper(true);
    this.#cable.mend();
  }

  #powered(on: boolean): void {
    if (on) this.#cable.mend();
    else this.#cable.shut(NO_POWER);
  }

  /** What befalls the device while a command is on its way to it. */
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
    this.#front.addFault({ name: fault, nth: 1, command: Buffer.from(code).toString("hex").toUpperCase(), ...this.#valueOf(fault) });
    if (fault === "paper-out") clock.after(chance.below(LONGEST_POWER_CUT_MS), () => this.#front.setPaper(true));
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
    this.#front.setPower(false);
    this.#around.clock.after(this.#around.chance.below(LONGEST_POWER_CUT_MS), () => this.#front.setPower(true));
  }
}
