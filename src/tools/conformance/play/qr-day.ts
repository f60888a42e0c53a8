import { pause } from "../../../kernel/clock.ts";
import { readQrState } from "../../sandbox/caller/qr-answer.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import { wordsOfAnswer } from "../exchanges/report-text.ts";
import { type Sent, statusOf } from "../exchanges/sent.ts";
import type { QrPayment, QrTill } from "./qr-till.ts";

/** A till asks each second; here a little sooner, so that a run takes less time. */
const POLL_MS = 300;

/** Amounts of the simulated bank, by their last digits (payments surface 7): 01 is declined, 07 is paid and not given back. */
const AMOUNTS = { done: 10_00, part: 20_00, whole: 30_00, excess: 40_00, twice: 50_00, declined: 10_01, unreturnable: 10_07 } as const;
type Role = keyof typeof AMOUNTS;

/** A payment that was followed to its end, or until the time was over. */
interface FollowedPayment {
  readonly payment: QrPayment;
  /** The answers of state in their order; the last one is the newest. */
  readonly states: readonly Sent[];
}

/** Payments of several kinds, begun together and followed together: each takes seconds, and together they take no longer. */
export class QrDay {
  readonly #followed: ReadonlyMap<Role, FollowedPayment>;

  private constructor(followed: ReadonlyMap<Role, FollowedPayment>) {
    this.#followed = followed;
  }

  static async play(till: QrTill, limitMs: number): Promise<QrDay> {
    const roles = Object.keys(AMOUNTS) as Role[];
    const followed = await Promise.all(roles.map(async (role) => [role, await follow(till, AMOUNTS[role], limitMs)] as const));
    return new QrDay(new Map(followed));
  }

  of(role: Role): FollowedPayment {
    const found = this.#followed.get(role);
    if (found === undefined) throw new CannotRun(`no payment of the kind ${role} was begun`);
    return found;
  }

  /** A payment that DONE was told of. Throws CannotRun when it was not. */
  paid(role: Role): QrPayment {
    const { payment, states } = this.of(role);
    const last = states.at(-1);
    const answer = last === undefined ? undefined : readQrState(last.exchange);
    if (answer?.kind === "status" && answer.status === "DONE") return payment;
    const words = last === undefined ? "nothing" : wordsOfAnswer(last);
    throw new CannotRun(
      `a payment of ${payment.amount} kopecks was not DONE in time: state was answered ${words}; mend qr/paid/done first`,
    );
  }
}

async function follow(till: QrTill, amount: number, limitMs: number): Promise<FollowedPayment> {
  const payment = till.newPayment(amount);
  const created = await till.send("create", payment);
  if (statusOf(created) !== 200)
    throw new CannotRun(`create of ${amount} kopecks was answered ${wordsOfAnswer(created)}; mend qr/create/answer first`);
  return { payment, states: await statesUntilEnd(till, payment, limitMs) };
}

/** Asks until the status is another one than IN_PROGRESS, or the time is over. At least one answer. */
export async function statesUntilEnd(till: QrTill, payment: QrPayment, limitMs: number): Promise<Sent[]> {
  const { clock } = till.account.services;
  const endMs = clock.monotonicMs() + limitMs;
  const states: Sent[] = [];
  for (;;) {
    const sent = await till.send("state", payment);
    states.push(sent);
    const answer = readQrState(sent.exchange);
    const goesOn = answer.kind === "unknown" || (answer.kind === "status" && answer.status === "IN_PROGRESS");
    if (!goesOn || clock.monotonicMs() > endMs) return states;
    await pause(clock, POLL_MS);
  }
}
