import { pause } from "../../../kernel/clock.ts";
import { readQrState } from "../../sandbox/caller/qr-answer.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import { wordsOfAnswer } from "../exchanges/report-text.ts";
import { type Sent, statusOf } from "../exchanges/sent.ts";
import type { QrPayment, QrTill } from "./qr-till.ts";

/** A real till asks once a second. The run asks more often to save time. */
const POLL_MS = 300;

/** The simulated bank acts by the last digits of the amount (payments surface 7): 01 is declined, 07 is paid but cannot be refunded. */
const AMOUNTS = { done: 10_00, part: 20_00, whole: 30_00, excess: 40_00, twice: 50_00, declined: 10_01, unreturnable: 10_07 } as const;
type Role = keyof typeof AMOUNTS;

interface FollowedPayment {
  readonly payment: QrPayment;
  readonly states: readonly Sent[];
}

/** Payments of several kinds, followed at the same time to their ends or to the time limit. This saves much of the run's time. */
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

  /** Returns a payment that was answered DONE. Otherwise throws CannotRun. */
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

/**
 * Asks for the state until the payment ends, the server refuses, or the time is over. Asks again after a missing answer and after a request
 * to repeat. Returns at least one exchange.
 */
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
