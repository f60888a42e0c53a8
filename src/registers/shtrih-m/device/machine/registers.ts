import type { SettlementSign } from "../../../../model/document.ts";
import type { Counters, SignTotals } from "../../../../model/facts.ts";
import { type Machine, throughNumber } from "./machine.ts";
import { type ReceiptType, SIGN_OF_TYPE } from "./open-receipt.ts";

/** The highest money register: payment 16 of the last type (shtrih-protocol 5.4). */
const LAST_MONEY_REGISTER = 4_144 + 3 + 4 * 11;
const TYPES: readonly ReceiptType[] = [0, 1, 2, 3];

/** Returns the answer of 1Ah in whole kopecks. Undefined: the register does not exist. Registers that this device does not use are 0. */
export function moneyRegister(machine: Machine, number: number): number | undefined {
  if (number > LAST_MONEY_REGISTER) return undefined;
  const { shift, drawerKopecks } = machine.device.look().memory;
  const single: Record<number, number> = { 241: drawerKopecks, 242: shift.cashInKopecks, 243: shift.cashOutKopecks };
  return single[number] ?? byType(machine, number);
}

function byType(machine: Machine, number: number): number {
  const { shift } = machine.device.look().memory;
  for (const [first, sumOf] of PER_TYPE) {
    const type = TYPES.find((candidate) => number === first + candidate);
    if (type !== undefined) return sumOf(totalsOf(shift.totals, SIGN_OF_TYPE[type]));
  }
  const cancelled = TYPES.find((type) => number === FIRST_CANCELLED + type);
  if (cancelled === undefined) return 0;
  const receipts = machine.memory.cancelledIn(shift.number).filter(({ type }) => type === cancelled);
  return receipts.reduce((sum, { sumKopecks }) => sum + sumKopecks, 0);
}

const FIRST_CANCELLED = 249;

/**
 * Each row: the number of the first of four registers, one per receipt type, and a function that returns a register's value. Slots of FF45
 * with the same tag share one sum, which is in the first slot's register (shtrih-protocol 10.2).
 */
const PER_TYPE: readonly [number, (totals: SignTotals | undefined) => number][] = [
  [121, (totals) => totals?.totalKopecks ?? 0],
  [193, (totals) => totals?.tenders.cashKopecks ?? 0],
  [197, (totals) => totals?.tenders.nonCashKopecks ?? 0],
  [4_144 + 4 * 9, (totals) => totals?.tenders.prepaidKopecks ?? 0],
  [4_144 + 4 * 10, (totals) => totals?.tenders.creditKopecks ?? 0],
  [4_144 + 4 * 11, (totals) => totals?.tenders.otherKopecks ?? 0],
];

/** Returns the answer of 1Bh. Registers that this device does not use are 0. */
export function operationalRegister(machine: Machine, number: number): number {
  const { memory } = machine;
  const { shift, slips, driveTotals } = machine.device.look().memory;
  const cancelled = memory.cancelledIn(shift.number);
  const single: Record<number, number> = {
    152: throughNumber(machine),
    153: shift.cashIns,
    154: shift.cashOuts,
    155: slips.cashIns,
    156: slips.cashOuts,
    157: cancelled.length,
    158: memory.xReports,
    166: cancelled.length,
  };
  for (const type of TYPES) {
    single[144 + type] = totalsOf(shift.totals, SIGN_OF_TYPE[type])?.count ?? 0;
    single[148 + type] = totalsOf(driveTotals, SIGN_OF_TYPE[type])?.count ?? 0;
    single[179 + type] = cancelled.filter((receipt) => receipt.type === type).length;
  }
  return single[number] ?? 0;
}

/**
 * Returns the answer of FEh F4. Part 0: the sums of the four settlement signs. Parts 1 to 4: the payments of one sign. Part 5: corrections,
 * here always 0. Undefined: no such part.
 */
export function deviceTotals(machine: Machine, part: number): Buffer | undefined {
  const { driveTotals } = machine.device.look().memory;
  if (part === 0) return eights(SIGNS.map((sign) => totalsOf(driveTotals, sign)?.totalKopecks ?? 0));
  if (part === CORRECTIONS) return eights(SIGNS.map(() => 0));
  const sign = SIGNS[part - 1];
  if (sign === undefined) return undefined;
  const tenders = totalsOf(driveTotals, sign)?.tenders;
  const payments = Array.from({ length: 16 }, () => 0);
  if (tenders !== undefined) {
    payments[0] = tenders.cashKopecks;
    payments[1] = tenders.nonCashKopecks;
    payments[13] = tenders.prepaidKopecks;
    payments[14] = tenders.creditKopecks;
    payments[15] = tenders.otherKopecks;
  }
  return eights(payments);
}

const SIGNS: readonly SettlementSign[] = [1, 2, 3, 4];
const CORRECTIONS = 5;

function totalsOf(counters: Counters, sign: SettlementSign): SignTotals | undefined {
  return counters.signs.find((totals) => totals.sign === sign);
}

function eights(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [at, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), at * 8);
  return bytes;
}
