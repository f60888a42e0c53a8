import type { Deadline } from "../../../kernel/deadline.ts";
import { MODES, modeOf } from "../commands/values.ts";
import type { Connection } from "../session/connection.ts";
import type { Step } from "./receipt-steps.ts";

/** The error for a tag that the document already has (shtrih-protocol 12.3). */
const TAG_REPEATED = 0x33;

/**
 * Checks that the device still has the begun receipt with everything sent for this receipt. A power cut loses the receipt. The next FF46
 * then automatically opens a new receipt, which would lack the tags sent before (shtrih-protocol 5.7). The device is asked only after the
 * link was reopened.
 */
export class ReceiptStanding {
  readonly #connection: Connection;
  #openings: number | undefined;
  #positions = 0;
  #tag: Step | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Call this after each step that the device has carried out. False: the receipt may lack a tag or a position. */
  async stillWhole(step: Step, deadline: Deadline): Promise<boolean> {
    const { openings } = this.#connection;
    const first = this.#openings === undefined;
    const reopened = this.#openings !== openings;
    this.#openings = openings;
    if (step.name === "operation") this.#positions += 1;
    const whole = first || !reopened || ((await this.#standsOpen(deadline)) && (await this.#hasItsTags(step, deadline)));
    if (step.name === "documentTags") this.#tag = step;
    return whole;
  }

  async #standsOpen(deadline: Deadline): Promise<boolean> {
    const reply = await this.#connection.ask("shortStatus", { password: this.#connection.passwords.system }, deadline);
    if (reply.kind !== "ok" || modeOf(reply.values.mode).mode !== MODES.documentOpen) return false;
    const { operationsLow, operationsHigh } = reply.values;
    return this.#positions === 0 || operationsLow + 256 * operationsHigh === this.#positions;
  }

  /**
   * Whether the receipt has its tags. The first position may have opened a new receipt, so the last tag of the document is sent again. If
   * the device refuses the tag as repeated, the open receipt is the old receipt.
   */
  async #hasItsTags(step: Step, deadline: Deadline): Promise<boolean> {
    if (step.name !== "operation" || this.#positions > 1 || this.#tag === undefined) return true;
    const repeated = await this.#tag.send(this.#connection, deadline);
    return repeated.kind === "error" && repeated.error === TAG_REPEATED;
  }
}
