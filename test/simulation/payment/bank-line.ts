import { type Clock, pause } from "../../../src/kernel/clock.ts";
import type { Deadline } from "../../../src/kernel/deadline.ts";
import type { SeededChance } from "../seeded-chance.ts";
import { LONGEST_DOWN_MS, LONGEST_ON_THE_WAY_MS, type PaymentTroubles } from "./troubles.ts";

/** A request and its answer are on the way for less than this together, in milliseconds, unless something is slow. */
const LONGEST_WAY_MS = 400;

interface LineSurroundings {
  clock: Clock;
  chance: SeededChance;
  troubles(): PaymentTroubles;
}

interface Silence {
  kind: "unknown";
  problem: string;
  neverLeft?: true;
}

/** The line between the processes and the bank. A request may arrive although nobody waits for its answer any more. */
export class BankLine {
  readonly #around: LineSurroundings;
  #downUntilMs = Number.NEGATIVE_INFINITY;

  constructor(around: LineSurroundings) {
    this.#around = around;
  }

  /** Ends the outage of the line. `troubles` decides the other faults. */
  heal(): void {
    this.#downUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Ends by the deadline. `late` tells `act` that the request arrives after the caller has given it up. */
  async ask<T>(deadline: Deadline, act: (late: boolean) => T): Promise<T | Silence | { kind: "busy" }> {
    const { clock, chance } = this.#around;
    const fault = this.#fault();
    const leftMs = deadline.remainingMs();
    const wayMs = chance.below(LONGEST_WAY_MS);
    if (fault === "down") {
      await pause(clock, Math.min(wayMs, leftMs));
      return { kind: "unknown", problem: "not reached", neverLeft: true };
    }
    if (fault === "slow-request") {
      clock.after(leftMs + chance.below(LONGEST_ON_THE_WAY_MS), () => void act(true));
      await pause(clock, leftMs);
      return { kind: "unknown", problem: "no answer in time" };
    }
    await pause(clock, Math.min(Math.floor(wayMs / 2), leftMs));
    if (fault === "error-before") return { kind: "unknown", problem: "error" };
    if (fault === "busy") return { kind: "busy" };
    const answer = act(false);
    const isLate = fault === "slow-answer" || wayMs > leftMs;
    await pause(clock, isLate ? deadline.remainingMs() : Math.floor(wayMs / 2));
    return isLate || fault === "lost-answer" ? { kind: "unknown", problem: "no answer" } : answer;
  }

  #fault(): "down" | "slow-request" | "error-before" | "busy" | "slow-answer" | "lost-answer" | undefined {
    const { clock, chance } = this.#around;
    const { down, slowRequest, errorBefore, busy, slowAnswer, lostAnswer } = this.#around.troubles();
    if (chance.happens(down)) this.#downUntilMs = clock.monotonicMs() + chance.below(LONGEST_DOWN_MS);
    if (clock.monotonicMs() < this.#downUntilMs) return "down";
    if (chance.happens(slowRequest)) return "slow-request";
    if (chance.happens(errorBefore)) return "error-before";
    if (chance.happens(busy)) return "busy";
    if (chance.happens(slowAnswer)) return "slow-answer";
    return chance.happens(lostAnswer) ? "lost-answer" : undefined;
  }
}
