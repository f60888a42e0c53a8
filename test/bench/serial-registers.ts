import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Register } from "../../src/registers/register.ts";
import { ZONE } from "../support/register-bench.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { median, type Row, rounded } from "./row.ts";
import { startDevices } from "./serial-fleet.ts";
import { make, saleOfTen } from "./serial-sale.ts";

const REGISTERS = 50;
const ROUNDS = 5;
const SALES_A_ROUND = { one: 60, each: 6 } as const;
const WARM_UP = 30;

/**
 * Sales over TCP at one register, and at fifty at once in this process. The devices are in a process of their own, so
 * that work and memory are only the drivers'. Both processes share the machine.
 */
export async function registersRows(note: (text: string) => void): Promise<Row[]> {
  const devices = await startDevices(REGISTERS);
  const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: ".", note: () => {} });
  try {
    const [first = "", ...others] = devices.addresses;
    const one = rack.at(first, ZONE);
    await make(one, systemClock, shiftDocument("open-shift"));
    await sell([one], WARM_UP);
    const single: Measured[] = [];
    for (let round = 0; round < ROUNDS; round += 1) single.push(await measured([one], SALES_A_ROUND.one));

    const before = usedBytes();
    const all = [one, ...others.map((address) => rack.at(address, ZONE))];
    for (const register of all.slice(1)) await make(register, systemClock, shiftDocument("open-shift"));
    await sell(all, 1);
    const perRegister = (usedBytes() - before) / others.length;
    const fifty: Measured[] = [];
    for (let round = 0; round < ROUNDS; round += 1) fifty.push(await measured(all, SALES_A_ROUND.each));
    note(`one register ${rate(single)} sales/s, ${REGISTERS} registers ${rate(fifty)} sales/s`);
    return [
      { name: "serial.sale-10-positions.cpu", value: cpu(single), unit: "ms" },
      { name: "serial.1-register.rate", value: rate(single), unit: "sales/s" },
      { name: `serial.${REGISTERS}-registers.rate`, value: rate(fifty), unit: "sales/s" },
      { name: `serial.${REGISTERS}-registers.cpu`, value: cpu(fifty), unit: "ms" },
      { name: `serial.${REGISTERS}-registers.memory`, value: rounded(perRegister / 1024), unit: "KiB" },
    ];
  } finally {
    await rack.close();
    devices.end();
  }
}

interface Measured {
  perSecond: number;
  cpuMs: number;
}

/** Each register sells so many times, one sale after the other, and all registers at once. */
async function measured(registers: readonly Register[], each: number): Promise<Measured> {
  const cpuBefore = process.cpuUsage();
  const startedMs = systemClock.monotonicMs();
  await sell(registers, each);
  const elapsedMs = systemClock.monotonicMs() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sales = registers.length * each;
  return { perSecond: (sales * 1000) / elapsedMs, cpuMs: (user + system) / 1000 / sales };
}

async function sell(registers: readonly Register[], each: number): Promise<void> {
  await Promise.all(
    registers.map(async (register) => {
      for (let sale = 0; sale < each; sale += 1) await make(register, systemClock, saleOfTen());
    }),
  );
}

function rate(rounds: readonly Measured[]): number {
  return rounded(median(rounds.map(({ perSecond }) => perSecond)));
}

function cpu(rounds: readonly Measured[]): number {
  return rounded(median(rounds.map(({ cpuMs }) => cpuMs)));
}

/** The memory after everything unused was collected. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
