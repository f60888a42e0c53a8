import { EmulatorRegister } from "../../../src/registers/emulator/register.ts";
import type { Register } from "../../../src/registers/register.ts";
import { VirtualDevice } from "../../../src/registers/virtual/device.ts";
import type { MemoryDrive } from "../../../src/registers/virtual/drive.ts";
import type { After, Before, DeviceCommand } from "../../../src/registers/virtual/faults.ts";
import type { Life } from "../life.ts";
import { LONGEST_HESITATION_MS, LONGEST_JUMP_MS, LONGEST_POWER_CUT_MS } from "../troubles.ts";
import type { SimulatedDevice } from "./device.ts";
import { LaboratoryDrive } from "./laboratory.ts";
import type { DeviceSurroundings } from "./surroundings.ts";
import { watched } from "./watched-register.ts";

/** The virtual device without a protocol: it takes whole documents. */
export class SimulatedEmulator implements SimulatedDevice {
  readonly address = "emulator:simulated";
  readonly opensShifts = false;
  readonly drive: LaboratoryDrive;
  readonly #around: DeviceSurroundings;
  #device: VirtualDevice;
  #clockOffsetMs = 0;

  private constructor(around: DeviceSurroundings, device: VirtualDevice, drive: LaboratoryDrive) {
    this.#around = around;
    this.#device = device;
    this.drive = drive;
    this.#interfere();
  }

  static async begin(around: DeviceSurroundings): Promise<SimulatedEmulator> {
    const drive = new LaboratoryDrive(around.clock);
    return new SimulatedEmulator(around, await deviceOn(drive, around), drive);
  }

  registerOf(life: Life): Register {
    const open = async () => {
      const device = this.#device;
      return { device, inPlace: () => device === this.#device, close: async () => {} };
    };
    return watched(new EmulatorRegister(life.clock(this.#around.clock), open), life, this.drive, this.#around);
  }

  jumpClock(byMs: number): void {
    this.drive.movingClock(byMs);
    this.#clockOffsetMs += byMs;
  }

  async putBack(documents: number): Promise<void> {
    this.#device = await deviceOn(await this.drive.earlier(documents), this.#around);
    this.#interfere();
  }

  async putRight(): Promise<void> {
    this.#device = await deviceOn(this.drive, this.#around);
    this.#interfere();
  }

  tend(): void {
    this.#device.powerOn();
    this.#device.setPaper(true);
  }

  #interfere(): void {
    this.#device.setFaults({
      before: (command) => this.#before(command),
      after: (command) => this.#after(command),
      clockOffsetMs: () => this.#clockOffsetMs,
    });
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

async function deviceOn(storage: MemoryDrive, { clock, chance, zone }: DeviceSurroundings): Promise<VirtualDevice> {
  return (await VirtualDevice.open({ name: "simulated", storage, clock, chance, zone })).device;
}

const GO_ON = { kind: "go-on" } as const;

function isQuestion(command: DeviceCommand): boolean {
  return command === "state" || command === "stored";
}
