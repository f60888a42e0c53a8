import type { CommandIo } from "../../../src/cli/command.ts";
import { playMonth } from "./month.ts";

const DAYS = 30;
const PAYMENTS_A_DAY = 20;

/** Plays a month at each of the banks. Prints the errors, and ends with 1 when there were any. */
export async function playMonths(seed: number, { out }: CommandIo): Promise<number> {
  let isWrong = false;
  for (const bank of ["tbank", "yookassa"] as const) {
    const { payments, done, rejected, unmade, differenceKopecks, wrong } = await playMonth({
      seed,
      bank,
      days: DAYS,
      payments: PAYMENTS_A_DAY,
    });
    out(`${bank}, seed ${seed}: ${payments} payments in ${DAYS} days, ${done} told DONE, ${rejected} told REJECTED, ${unmade} not made`);
    out(`bank and tills differ by ${differenceKopecks} kopecks`);
    for (const line of wrong) out(`  ${line}`);
    isWrong ||= wrong.length > 0 || differenceKopecks !== 0;
  }
  return isWrong ? 1 : 0;
}
