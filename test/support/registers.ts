import type { Chance, Clock } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import { VirtualClock } from "../../src/kernel/virtual-clock.ts";
import type { CashDocument, ReceiptDocument, ReceiptLine, RegisterDocument, ShiftDocument, Tenders } from "../../src/model/document.ts";
import type { CashFacts, FiscalFacts } from "../../src/model/facts.ts";
import { REGISTER_PROTOCOLS } from "../../src/registers/catalogue.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import type { Outcome, Register, RegisterState } from "../../src/registers/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import type { DeviceCommand, Faults } from "../../src/registers/virtual/faults.ts";

/** 13 November 2026, 09:00 in Moscow: the morning of the shift in fiscal-receipts 9.3. */
export const MORNING_MS = Date.UTC(2026, 10, 13, 6, 0, 0);
export const ZONE = "Europe/Moscow";
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Every protocol of the catalogue, by its first scheme. */
export const SCHEMES = REGISTER_PROTOCOLS.map(({ schemes }) => schemes[0] ?? "");

/** The same bytes every time. */
export const sameChance: Chance = {
  bytes: (count) => Buffer.alloc(count, 7),
  uuid: () => "00000000-0000-4000-8000-000000000000",
};

/** A register under test and the device at its far end. */
interface Bench {
  register: Register;
  device: VirtualDevice;
  /** Ends the register and opens a new one on the same drive, as a restart of the program does. */
  restart(): Promise<Bench>;
}

/** How to put each protocol of the catalogue on a bench, by its first scheme. */
const BENCHES: Record<string, (clock: Clock) => Promise<Bench>> = {
  emulator: (clock) => emulatorBench(clock, new MemoryDrive()),
};

async function emulatorBench(clock: Clock, storage: MemoryDrive): Promise<Bench> {
  const { device } = await VirtualDevice.open({ name: "bench", storage, clock, chance: sameChance, zone: ZONE });
  const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
  return {
    register,
    device,
    async restart() {
      await register.close();
      return emulatorBench(clock, storage);
    },
  };
}

export function shiftDocument(kind: ShiftDocument["kind"], more: Partial<ShiftDocument> = {}): ShiftDocument {
  return { kind, reference: "ref-shift", cashierName: "Иванова М.П.", ...more };
}

export function cashDocument(kind: CashDocument["kind"], sumKopecks: number, more: Partial<CashDocument> = {}): CashDocument {
  return { kind, reference: "ref-cash", cashierName: "Иванова М.П.", sumKopecks, ...more };
}

/** A piece of goods for 100.00 at 22 %. */
export function receiptLine(more: Partial<ReceiptLine> = {}): ReceiptLine {
  return {
    name: "Товар",
    quantityMillionths: 1_000_000,
    unit: { code: 0, label: "шт." },
    priceKopecks: 10_000,
    sumKopecks: 10_000,
    vat: 11,
    vatKopecks: 1_803,
    subject: 1,
    method: 4,
    ...more,
  };
}

export function tendersOf(more: Partial<Tenders>): Tenders {
  return { cashKopecks: 0, nonCashKopecks: 0, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0, ...more };
}

/** A sale of one piece for 100.00, paid in cash. */
export function receiptDocument(more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    kind: "receipt",
    sign: 1,
    reference: "ref-sale",
    cashierName: "Иванова М.П.",
    taxSystem: "osn",
    lines: [receiptLine()],
    totalKopecks: 10_000,
    roundingKopecks: 0,
    tenders: tendersOf({ cashKopecks: 10_000 }),
    vatTotals: [{ vat: 11, sumKopecks: 1_803 }],
    ...more,
  };
}

/** The sale of fiscal-receipts 9.1: 834.57 in cash, two rates. */
export function sampleSale(more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  const kilogram = { code: 11, label: "кг" };
  const bread = { name: 'Хлеб "Дарницкий" 400 г', quantityMillionths: 2_000_000, priceKopecks: 5_490, sumKopecks: 10_980, vatKopecks: 998 };
  const cheese = {
    name: 'Сыр "Российский" весовой',
    quantityMillionths: 356_000,
    priceKopecks: 89_900,
    sumKopecks: 32_004,
    vatKopecks: 2_909,
  };
  const soap = { name: 'Средство для мытья посуды "Образец", лимон, 1 л', quantityMillionths: 3_000_000, priceKopecks: 13_491 };
  return receiptDocument({
    lines: [
      receiptLine({ ...bread, vat: 2 }),
      receiptLine({ ...cheese, unit: kilogram, vat: 2 }),
      receiptLine({ ...soap, sumKopecks: 40_473, vat: 11, vatKopecks: 7_298 }),
    ],
    totalKopecks: 83_457,
    tenders: tendersOf({ cashKopecks: 83_457 }),
    vatTotals: [
      { vat: 2, sumKopecks: 3_907 },
      { vat: 11, sumKopecks: 7_298 },
    ],
    ...more,
  });
}

/** The code of a refusal, or what came instead. */
export function refusalCode(outcome: Outcome): string {
  return outcome.kind === "refused" ? outcome.refusal.code : outcome.kind;
}

/** The fault strikes the first such command and no other. */
export function once<T>(command: DeviceCommand, fault: T): (found: DeviceCommand) => T | { kind: "go-on" } {
  let struck = false;
  return (found) => {
    if (struck || found !== command) return { kind: "go-on" };
    struck = true;
    return fault;
  };
}

/** One register on its bench, under a clock that stands still until it is moved. */
export class Trial {
  readonly clock: VirtualClock;
  #bench: Bench;

  private constructor(clock: VirtualClock, bench: Bench) {
    this.clock = clock;
    this.#bench = bench;
  }

  static async begin(scheme: string): Promise<Trial> {
    const bench = BENCHES[scheme];
    if (bench === undefined) throw new Error(`no bench for ${scheme} in test/support/registers.ts`);
    const clock = new VirtualClock(MORNING_MS);
    return new Trial(clock, await bench(clock));
  }

  get register(): Register {
    return this.#bench.register;
  }

  get device(): VirtualDevice {
    return this.#bench.device;
  }

  /** Far enough away for everything that does not wait on purpose. */
  get deadline(): Deadline {
    return deadlineIn(this.clock, 60_000);
  }

  perform(document: RegisterDocument): Promise<Outcome> {
    return this.register.perform(document, this.deadline);
  }

  /** Makes a document that must be made, and gives its facts. */
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
    const asked = await this.register.inspect(this.deadline);
    if (asked.kind !== "reached") throw new Error(`unreachable: ${asked.reason}`);
    return asked.value;
  }

  inject(faults: Partial<Faults>): void {
    this.device.setFaults(faults);
  }

  later(byMs: number): Promise<void> {
    return this.clock.advance(byMs);
  }

  async restart(): Promise<void> {
    this.#bench = await this.#bench.restart();
  }
}
