import type { Clock } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { STEP_LIMIT_MS } from "../registers/agent/wire/protocol.ts";
import type { Answered, PendingCall } from "../registers/tunnel.ts";
import { notAnswered } from "./words.ts";

export type CallEnd = Answered;

/**
 * A call to an agent. Without an answer it ends as lost at its deadline. A `perform` waits at most 5 s for the agent's `accepted`, then for
 * the caller's `go`, then for the answer. If `accepted` is late, `go` is never sent.
 */
export class OpenCall implements PendingCall {
  readonly accepted: Promise<boolean>;
  readonly answered: Promise<Answered>;
  readonly #sendGo: () => boolean;
  #step: "sent" | "accepted" | "going" | "over" = "sent";
  #tellAccepted: (accepted: boolean) => void = () => {};
  #tellAnswered: (answered: Answered) => void = () => {};
  #cancelStep = () => {};
  readonly #cancelDeadline: () => void;

  constructor(clock: Clock, deadline: Deadline, { isPerform, go }: { isPerform: boolean; go(): boolean }) {
    this.#sendGo = go;
    this.accepted = new Promise((resolve) => {
      this.#tellAccepted = resolve;
    });
    this.answered = new Promise((resolve) => {
      this.#tellAnswered = resolve;
    });
    if (isPerform) this.#cancelStep = clock.after(STEP_LIMIT_MS, () => this.#tellAccepted(false));
    this.#cancelDeadline = clock.after(deadline.remainingMs(), () => this.lost(notAnswered()));
    // An `accepted` after the limit is ignored.
    void this.accepted.then((accepted) => {
      if (!accepted && this.#step === "sent") this.#step = "over";
    });
  }

  go(): boolean {
    if (this.#step === "going") return true;
    if (this.#step !== "accepted" || !this.#sendGo()) return false;
    this.#step = "going";
    return true;
  }

  /** Called when the agent has stored the attempt. */
  accept(): void {
    if (this.#step !== "sent") return;
    this.#step = "accepted";
    this.#cancelStep();
    this.#tellAccepted(true);
  }

  result(result: unknown): void {
    this.#end({ kind: "result", result });
  }

  failed(code: string, reason: string): void {
    this.#end({ kind: "failed", code, reason });
  }

  lost(reason: string): void {
    this.#end({ kind: "lost", reason });
  }

  /** Only the first end counts. */
  #end(answered: Answered): void {
    this.#step = "over";
    this.#cancelStep();
    this.#cancelDeadline();
    this.#tellAccepted(false);
    this.#tellAnswered(answered);
  }
}
