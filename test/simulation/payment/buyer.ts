import type { PaymentWorld } from "./world.ts";

/** The longest time for which most buyers look at their telephone before they pay. */
const LONGEST_LOOK_MS = 30_000;
/** How long after the end of a code its money may still come. */
const LATEST_MS = 300_000;
/** A payment at the end of a code comes within this span, of which half is before the end and half after. */
const AT_THE_END_MS = 4_000;

/** Decides what a buyer does with the code that a till has shown. */
export function show(world: PaymentWorld, bankId: string): void {
  const { bank, chance, clock } = world;
  const { dueAtMs } = bank.record(bankId);
  const leftMs = Math.max(0, dueAtMs - world.wallMs);
  const payIn = (delayMs: number, evenLate: boolean) => void clock.after(Math.max(0, delayMs), () => void bank.pay(bankId, evenLate));
  switch (chance.below(10)) {
    case 0:
      return;
    case 1:
      clock.after(chance.below(LONGEST_LOOK_MS), () => bank.decline(bankId));
      return;
    case 2:
      payIn(leftMs + chance.below(AT_THE_END_MS) - AT_THE_END_MS / 2, chance.happens(0.5));
      return;
    case 3:
      payIn(leftMs + chance.below(LATEST_MS), true);
      return;
    case 4:
      bank.atCancel(bankId, () => void bank.pay(bankId, false));
      payIn(chance.below(LONGEST_LOOK_MS), true);
      return;
    default:
      payIn(chance.below(LONGEST_LOOK_MS), chance.happens(0.3));
      return;
  }
}
