import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import type { CashDocument, RegisterDocument } from "../../src/model/document.ts";
import type { CashFacts, FiscalFacts } from "../../src/model/facts.ts";
import { REGISTER_PROTOCOLS } from "../../src/registers/catalogue.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { LookUp, Outcome, Reached, Register, RegisterState } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import type { DeviceCommand, Faults } from "../../src/registers/virtual/faults.ts";
import type { Seller } from "../../src/registers/virtual/registration.ts";
import { behindAgent } from "./agents-shop.ts";
import { EXTENT } from "./extent.ts";
import { type Bench, sameChance, ZONE } from "./register-bench.ts";
import { shiftDocument } from "./register-documents.ts";
import { type ShtrihBenchOptions, shtrihBench } from "./shtrih-m-bench.ts";
import { VirtualClock } from "./virtual-clock.ts";

export { type Bench, sameChance, ZONE };

/** 13 November 2026, 09:00 in Moscow: the morning of the shift in fiscal-receipts 9.3. */
export const MORNING_MS = Date.UTC(2026, 10, 13, 6, 0, 0);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The Shtrih-M protocol with version 2.0 of its low level. Code above the low level must not notice the difference. */
const NUMBERED = "shtrih-m+tcp?protocol=2.0";
/** Every protocol of the catalogue, by its first scheme, and the Shtrih-M protocol with both low levels. */
export const SCHEMES = [...REGISTER_PROTOCOLS.map(({ schemes }) => schemes[0] ?? ""), NUMBERED];

/** Models of a device that differ from the usual one (shtrih-protocol 15), with both low levels. */
const MODELS: Record<string, ShtrihBenchOptions> = Object.fromEntries(
  (["cashcore", "nano"] as const).flatMap((personality) =>
    (["1.0", "2.0"] as const).map((protocol) => [`shtrih-m+tcp?protocol=${protocol}, ${personality}`, { personality, protocol }]),
  ),
);
/** A device with a protocol, behind an agent. */
const DEVICE_BEHIND_AGENT = "agent, shtrih-m+tcp";
/** Every protocol and every model. All of them must make the same document. */
export const REGISTERS = [...SCHEMES, ...Object.keys(MODELS), DEVICE_BEHIND_AGENT];

/** Every protocol and model. `npm test` tries each model with one low level only, and not the device behind an agent. */
export const TRIED_REGISTERS =
  EXTENT === "long" ? REGISTERS : [...SCHEMES, ...Object.keys(MODELS).filter((_, at, all) => at === 0 || at === all.length - 1)];

/** How each protocol is tested, by its name in `REGISTERS`. Models are in `MODELS`. */
const BENCHES: Record<string, (clock: Clock, options: BenchOptions) => Promise<Bench>> = {
  emulator: (clock, options) => emulatorBench(clock, new MemoryDrive(), options),
  "shtrih-m+tcp": (clock, options) => shtrihBench(clock, options),
  [NUMBERED]: (clock, options) => shtrihBench(clock, { ...options, protocol: "2.0" }),
  agent: async (clock, options) => behindAgent(clock, await emulatorBench(clock, new MemoryDrive(), options), "emulator:bench"),
  [DEVICE_BEHIND_AGENT]: async (clock, options) => behindAgent(clock, await shtrihBench(clock, options), "shtrih-m+tcp://192.0.2.1:7778"),
};

/** The choices of a test about a new device. */
export interface BenchOptions {
  ffd?: "1.05" | "1.2";
  seller?: Partial<Seller>;
}

export async function emulatorBench(clock: Clock, storage: MemoryDrive, options: BenchOptions): Promise<Bench> {
  const { device } = await VirtualDevice.open({ name: "bench", storage, clock, chance: sameChance, zone: ZONE, ...options });
  const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
  return {
    register,
    device,
    seconds: true,
    async restart() {
      await register.close();
      return emulatorBench(clock, storage, options);
    },
  };
}

/** The code of a refusal, or the kind of another outcome. */
export function refusalCode(outcome: Outcome): string {
  return outcome.kind === "refused" ? outcome.refusal.code : outcome.kind;
}

/** A fault that strikes only the first such command. */
export function once<T>(command: DeviceCommand, fault: T): (found: DeviceCommand) => T | { kind: "go-on" } {
  let struck = false;
  return (found) => {
    if (struck || found !== command) return { kind: "go-on" };
    struck = true;
    return fault;
  };
}

/** In so many turns of the event loop all work that waits for nothing ends. */
const AT_ONCE_TURNS = 20;
const STEP_MS = 100;

/** One register with its device, on a clock that the test moves. */
export class Trial<B extends Bench = Bench> {
  readonly clock: VirtualClock;
  #bench: B;

  private constructor(clock: VirtualClock, bench: B) {
    this.clock = clock;
    this.#bench = bench;
  }

  static async begin(scheme: string, options: BenchOptions = {}): Promise<Trial> {
    const model = MODELS[scheme];
    const bench = model === undefined ? BENCHES[scheme] : (clock: Clock) => shtrihBench(clock, { ...model, ...options });
    if (bench === undefined) throw new Error(`no bench for ${scheme} in test/support/registers.ts`);
    return Trial.on<Bench>((clock) => bench(clock, options));
  }

  /** `clock` may be one that also waits for other things of the bench than time. */
  static async on<B extends Bench>(bench: (clock: Clock) => Promise<B>, clock = new VirtualClock(MORNING_MS)): Promise<Trial<B>> {
    return new Trial(clock, await bench(clock));
  }

  get bench(): B {
    return this.#bench;
  }

  get register(): Register {
    return this.#bench.register;
  }

  get device(): VirtualDevice {
    return this.#bench.device;
  }

  /** A deadline that is reached only by work that waits on purpose. */
  get deadline(): Deadline {
    return deadlineIn(this.clock, 60_000);
  }

  perform(document: RegisterDocument): Promise<Outcome> {
    return this.settled(this.register.perform(document, this.deadline));
  }

  lookUp(documentNumber: number): Promise<LookUp> {
    return this.settled(this.register.lookUp(documentNumber, this.deadline));
  }

  inspect(): Promise<Reached<RegisterState>> {
    return this.settled(this.register.inspect(this.deadline));
  }

  /** Waits until the work has ended. The clock is moved for what it waits for on purpose. */
  async settled<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    for (let turns = 0; !ended; turns += 1) await this.clock.advance(turns < AT_ONCE_TURNS ? 0 : STEP_MS);
    return work;
  }

  /** The time as this register states it in a document. */
  told(time: string): string {
    return this.#bench.seconds ? time : `${time.slice(0, -2)}00`;
  }

  /** Makes a document and returns its facts. The document must succeed. */
  async fiscal(document: RegisterDocument): Promise<FiscalFacts> {
    const outcome = await this.perform(document);
    if (outcome.kind !== "done" || outcome.facts.kind !== "fiscal") throw new Error(`not made: ${JSON.stringify(outcome)}`);
    return outcome.facts;
  }

  async slip(document: CashDocument): Promise<CashFacts> {
    const outcome = await this.perform(document);
    if (outcome.kind !== "done" || outcome.facts.kind !== "cash") throw new Error(`not made: ${JSON.stringify(outcome)}`);
    return outcome.facts;
  }

  openShift(): Promise<FiscalFacts> {
    return this.fiscal(shiftDocument("open-shift"));
  }

  async state(): Promise<RegisterState> {
    const asked = await this.inspect();
    if (asked.kind !== "reached") throw new Error(`unreachable: ${asked.reason}`);
    return asked.value;
  }

  inject(faults: Partial<Faults>): void {
    this.device.setFaults(faults);
  }

  later(byMs: number): Promise<void> {
    const pass = () => this.clock.advance(byMs);
    return byMs > HOUR_MS && this.#bench.passHours !== undefined ? this.#bench.passHours(pass) : pass();
  }

  async restart(): Promise<void> {
    this.#bench = (await this.#bench.restart()) as B;
  }
}

/** A folder for one test. It is removed with its content after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "registers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The state of a register that must answer, on the system's clock. */
export async function stateOf(register: Register): Promise<RegisterState> {
  const asked = await register.inspect(deadlineIn(systemClock, 10_000));
  if (asked.kind !== "reached") throw new Error(`unreachable: ${asked.reason}`);
  return asked.value;
}
