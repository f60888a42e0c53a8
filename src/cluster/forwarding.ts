import { type Clock, pause } from "../kernel/clock.ts";
import { type Deadline, waitUntil } from "../kernel/deadline.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import type { CallResult, Calls } from "./calls.ts";
import type { Holdings } from "./holdings.ts";
import type { Membership } from "./membership.ts";
import type { ProcessRow } from "./queries.ts";
import type { ClusterObserver } from "./services.ts";

/** The outcome of a call to a process that does not hold the register. Nothing was done. */
export const NOT_HERE = "not-here";

/**
 * The shortest pause before work is sent to the same holder again, after the holder did not answer or answered `NOT_HERE`. Each waiting
 * call reads the holder again, and each reading wakes all waiting calls. Without this pause the calls would wake each other until the
 * holder counts as lost.
 */
const SAME_HOLDER_MS = 100;

export type Forwarded =
  | { kind: "answer"; outcome: string; body: Buffer }
  /** This process must do the work itself. */
  | { kind: "here" }
  /** The deadline has passed. The work may or may not have been done. */
  | { kind: "late" };

interface ForwardingServices {
  membership: Membership;
  holdings: Holdings;
  calls: Calls;
  clock: Clock;
  log: Log;
  observe: ClusterObserver;
}

/** Forwards work to the process that holds a register. The work must be safe to repeat. */
export class Forwarding {
  readonly #services: ForwardingServices;

  constructor(services: ForwardingServices) {
    this.#services = services;
  }

  /**
   * Sends the call to the holder. If the holder does not answer or does not hold the register any more, reads the holder again and repeats
   * the call. Never rejects.
   */
  async forward(register: string, { path, body }: { path: string; body: Buffer }, deadline: Deadline): Promise<Forwarded> {
    const { holdings, membership, clock, log, observe } = this.#services;
    while (deadline.remainingMs() > 0) {
      const place = holdings.place(register);
      if (place.kind !== "there") {
        // This process has just failed to take the register or to renew its lease, so it does not retry immediately.
        if (place.kind === "free" || !membership.isSafe()) await waitUntil(clock, deadline, membership.nextReading());
        return { kind: "here" };
      }
      const { process } = place;
      const startedMs = clock.monotonicMs();
      const result = await this.#send(process, { path, body }, deadline);
      const outcome = result.kind === "answer" ? (result.outcome === NOT_HERE ? "not-here" : "answered") : "no-answer";
      observe.forwarded(outcome, clock.monotonicMs() - startedMs);
      if (result.kind === "answer" && result.outcome !== NOT_HERE) return result;
      log.warn({ register, process: process.id, why: result.kind === "no-answer" ? result.why : NOT_HERE }, "an operation is sent anew");
      await waitUntil(clock, deadline, this.#change(register, process));
    }
    return { kind: "late" };
  }

  /** Ends the call early when the process is lost: a paused process would never answer. */
  async #send(process: ProcessRow, { path, body }: { path: string; body: Buffer }, deadline: Deadline): Promise<CallResult> {
    const { calls, membership } = this.#services;
    const gone = new AbortController();
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        await membership.nextReading();
        const row = membership.reading.processes.find(({ id }) => id === process.id);
        if (row === undefined || row.state === "lost") gone.abort(new Error("the process is lost"));
        if (gone.signal.aborted) return;
      }
    };
    void watch();
    try {
      return await calls.post(process, path, body, { deadline, signal: gone.signal });
    } finally {
      isOver = true;
    }
  }

  /** Reads the register's holder again. If the holder is still the same, waits for the next reading, and at least for `SAME_HOLDER_MS`. */
  async #change(register: string, process: ProcessRow): Promise<void> {
    const { membership, holdings, clock, log } = this.#services;
    const isSame = () => {
      const place = holdings.place(register);
      return place.kind === "there" && place.process.id === process.id;
    };
    try {
      await membership.readAnew();
    } catch (error) {
      log.debug({ error: messageOf(error) }, "the holder of a register could not be read anew");
    }
    if (isSame()) await Promise.all([membership.nextReading(), pause(clock, SAME_HOLDER_MS)]);
  }
}
