import { damagedFrame, numberedFrame } from "../../wire/frame-numbered.ts";
import type { Host, Manner } from "./conversation.ts";
import { type Kept, type NumberedTurnEffect, type NumberedTurnInput, nothingDone, transition } from "./numbered-turn.ts";

/** The connection that a request came from. The answer is sent on it. */
export interface Asker {
  /** Sends the bytes. `apart`: each byte in its own segment. */
  send(bytes: Buffer, apart: boolean): void;
}

const NOISE = Buffer.of(0xff);
const CHECK_BITS = 16;

/** The device's side of protocol 2.0: one command count and one stored answer for all connections. */
export class Numbering {
  readonly #host: Host;
  #state = nothingDone<Asker>();
  /** Counts power cuts. A command that began before the last power cut gets no answer. */
  #life = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  hear(input: NumberedTurnInput<Asker>): void {
    const { state, effects } = transition(this.#state, input);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
  }

  /** Resets the count and the answer after a power cut. */
  forget(): void {
    this.#life += 1;
    this.#state = nothingDone();
  }

  #carryOut(effect: NumberedTurnEffect<Asker>): void {
    switch (effect.kind) {
      case "execute":
        this.#execute(effect.data);
        break;
      case "send-answer":
        this.#sendAnswer(effect);
        break;
      case "send-kept":
        effect.asker.send(frameOf(effect.kept), false);
    }
  }

  #manner: Manner = {};

  #execute(data: Buffer): void {
    const reception = this.#host.receive(data);
    // The protocol has no answer for a refused frame. The device sends nothing, as after a damaged frame.
    if (reception.kind !== "taken") {
      this.hear({ kind: "unheard" });
      return;
    }
    const life = this.#life;
    void reception.answer.then((answered) => {
      if (life !== this.#life) return;
      if (answered === undefined) {
        this.forget();
        return;
      }
      this.#manner = { ...answered.manner, glued: reception.glued };
      this.hear({ kind: "answer", data: answered.data });
    });
  }

  #sendAnswer({ asker, kept, before }: { asker: Asker; kept: Kept; before: Kept }): void {
    const { lost, garbled, glued, noise, byteByByte } = this.#manner;
    if (lost === true) return;
    const bits = kept.answer.length * 8 + CHECK_BITS;
    const frame = garbled === true ? damagedFrame(kept.number, kept.answer, this.#host.chance(bits)) : frameOf(kept);
    const pieces = [...(glued === true && before.answer.length > 0 ? [frameOf(before)] : []), frame, ...(noise === true ? [NOISE] : [])];
    asker.send(Buffer.concat(pieces), byteByByte === true);
  }
}

function frameOf({ number, answer }: Kept): Buffer {
  return numberedFrame(number, answer);
}
