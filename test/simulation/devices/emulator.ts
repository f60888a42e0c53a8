import { EmulatorRegister } from "../../../src/registers/emulator/register.ts";
import type { Register } from "../../../src/registers/register.ts";
import { VirtualDevice } from "../../../src/registers/virtual/device.ts";
import type { After, Before, DeviceCommand } from "../../../src/registers/virtual/faults.ts";
import type { Life } from "../life.ts";
import { LONGEST_HESITATION_MS, LONGEST_JUMP_MS, LONGEST_POWER_CUT_MS } from "../troubles.ts";
import type { SimulatedDevice } from "./device.ts";
import { LaboratoryDrive } from "./laboratory.ts";
import type { DeviceSurroundings } from "./surroundings.ts";
import { watched } from "./watched-register.ts";

/** The virtual device without a protocol in between: it takes whole documents. */
export class SimulatedEmulator implements SimulatedDevice {
  readonly address = "emulator:simulated";
  readonly opensShifts = false;
  readonly drive: LaboratoryDrive;
  readonly #around: DeviceSurroundings;
  readonly #device: VirtualDevice;
  #clockOffsetMs = 0;

  private constructor(around: DeviceSurroundings, device: VirtualDevice, drive: LaboratoryDrive) {
    this.#around = around;
    this.#device = device;
    this.drive = drive;
    device.setFaults({
      before: (command) => this.#before(command),
      after: (command) => this.#after(command),
      clockOffsetMs: () => this.#clockOffsetMs,
    });
  }

  static async begin(around: DeviceSurroundings): Promise<SimulatedEmulator> {
    const { clock, chance, zone } = around;
    const drive = new LaboratoryDrive(clock);
    const { device } = await VirtualDevice.open({ name: "simulated", storage: drive, clock, chance, zone });
    return new SimulatedEmulator(around, device, drive);
  }

  registerOf(life: Life): Register {
    const open = async () => ({ device: this.#device, close: async () => {} });
    return watched(new EmulatorRegister(life.clock(this.#around.clock), open), life, this.drive, this.#around);
  }

  jumpClock(byMs: number): void {
    this.drive.movingClock();
    this.#clockOffsetMs += byMs;
  }

  tend(): void {
    this.#device.powerOn();
    this.#device.setPaper(true);
  }

  #before(command: DeviceCommand): Before {
    const { chance } = this.#around;
    const { clockJump, faultAtRegistering, faultAtQuestion } = this.#around.troubles();
    if (chance.happens(clockJump)) this.jumpClock(chance.below(LONGEST_JUMP_MS) - LONGEST_JUMP_MS / 3);
    if (!chance.happens(isQuestion(command) ? faultAtQuestion : faultAtRegistering)) return GO_ON;
    const refusal: Before = { kind: "refuse", code: 0x11 };
    return chance.pick([() => this.#powerCut(), () => this.#hesitation(), () => refusal, () => this.#paperOut()])();
  }

  #after(command: DeviceCommand): After {
    const { chance } = this.#around;
    const { faultAtRegistering, faultAtQuestion } = this.#around.troubles();
    if (!chance.happens(isQuestion(command) ? faultAtQuestion : faultAtRegistering)) return GO_ON;
    const lost: After = { kind: "lose-reply" };
    return chance.pick([() => this.#powerCut(), () => this.#hesitation(), () => lost, () => this.#paperOut()])();
  }

  #hesitation(): Before & After {
    return { kind: "wait", forMs: this.#around.chance.below(LONGEST_HESITATION_MS) };
  }

  #powerCut(): Before & After {
    this.#later(() => this.#device.powerOn());
    return { kind: "power-cut" };
  }

  #paperOut(): Before & After {
    this.#later(() => this.#device.setPaper(true));
    return { kind: "paper-out" };
  }

  #later(mend: () => void): void {
    this.#around.clock.after(this.#around.chance.below(LONGEST_POWER_CUT_MS), mend);
  }
}

const GO_ON = { kind: "go-on" } as const;

function isQuestion(command: DeviceCommand): boolean {
  return command === "state" || command === "stored";
}
