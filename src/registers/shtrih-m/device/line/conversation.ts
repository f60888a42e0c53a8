import type { Clock } from "../../../../kernel/clock.ts";
import { deadlineIn } from "../../../../kernel/deadline.ts";
import type { Link } from "../../../links/link.ts";
import { ACK, FrameParser, frameOf, NAK } from "../../wire/frame.ts";
import { IDLE_MS, listen, WRITE_MS } from "./listening.ts";
import { IDLE, type TurnInput, type TurnState, transition } from "./turn.ts";

/** How long an answer waits for its acknowledgement, ms. A later acknowledgement is ignored. */
const ACKNOWLEDGE_MS = 3_000;
const NOISE = 0xff;

export interface Manner {
  /** The answer is sent damaged. After an ENQ it is sent again without damage. */
  garbled?: boolean;
  byteByByte?: boolean;
  /** A byte FF follows the host's acknowledgement (shtrih-protocol 1.3); in protocol 2.0 it follows the answer. */
  noise?: boolean;
  lost?: boolean;
  /** The answer is sent together with the acknowledgement; in protocol 2.0 together with the previous answer. */
  glued?: boolean;
}

/** The device's decision about a frame before the command is carried out. */
export type Reception =
  /** The frame is ignored. */
  | { kind: "lost" }
  | { kind: "refused" }
  /** `glued`: the acknowledgement is sent together with the answer. */
  | { kind: "taken"; glued: boolean; answer: Promise<Answered> };

/** The answer's DATA. Undefined: there is no answer. */
export type Answered = { data: Buffer; manner: Manner } | undefined;

/** The device from the view of its connections. */
export interface Host {
  readonly clock: Clock;
  /** True while the device ignores all bytes. */
  readonly deaf: boolean;
  receive(data: Buffer): Reception;
  /** Returns a random integer from 0, below the limit. */
  chance(limit: number): number;
}

/** The exchange of one host with the device. It can outlive its connection: a host that reconnects can still get the answer. */
export class Conversation {
  readonly #host: Host;
  readonly #parser = new FrameParser();
  #state: TurnState = IDLE;
  #link: Link | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #manner: Manner = {};

  constructor(host: Host) {
    this.#host = host;
  }

  /** Whether a command is running, or its answer is unacknowledged. */
  get isOwing(): boolean {
    return this.#state.name !== "idle";
  }

  /** Serves the link until it is lost. `first`: bytes that have already arrived. */
  async serve(link: Link, first: Buffer): Promise<void> {
    this.#link = link;
    this.#parser.abandon();
    this.#take(first);
    const parser = this.#parser;
    const silenceMs = () => (this.#state.name === "waiting" ? ACKNOWLEDGE_MS : IDLE_MS);
    await listen(link, this.#host.clock, {
      get insideFrame() {
        return parser.insideFrame;
      },
      get silenceMs() {
        return silenceMs();
      },
      take: (bytes) => this.#take(bytes),
      abandon: () => parser.abandon(),
      silence: () => this.#step({ kind: "silence" }),
    });
    this.#link = undefined;
  }

  #take(bytes: Buffer): void {
    if (this.#host.deaf) return;
    for (const token of this.#parser.push(bytes)) this.#step(token);
  }

  #step(input: TurnInput): void {
    const { state, effects } = transition(this.#state, input);
    this.#state = state;
    for (const effect of effects) {
      switch (effect.kind) {
        case "send":
          this.#send(effect.bytes);
          break;
        case "send-answer":
          this.#sendAnswer(effect.data);
          break;
        case "execute":
          this.#execute(effect.data);
          break;
        case "acknowledged":
          if (this.#manner.noise === true) this.#send(Uint8Array.of(NOISE));
      }
    }
  }

  #execute(data: Buffer): void {
    const reception = this.#host.receive(data);
    this.#manner = {};
    if (reception.kind === "taken") {
      if (!reception.glued) this.#send(Uint8Array.of(ACK));
      void reception.answer.then((answered) => this.#answered(answered, reception.glued));
      return;
    }
    if (reception.kind === "refused") this.#send(Uint8Array.of(NAK));
    this.#state = IDLE;
  }

  #answered(answered: Answered, glued: boolean): void {
    if (answered === undefined || answered.manner.lost === true) {
      if (glued) this.#send(Uint8Array.of(ACK));
      this.#step({ kind: "no-answer" });
      return;
    }
    this.#manner = answered.manner;
    this.#glued = glued;
    this.#step({ kind: "answer", data: answered.data });
  }

  /** Whether the acknowledgement is sent in the same piece as the answer. */
  #glued = false;

  #sendAnswer(data: Buffer): void {
    const frame = frameOf(data);
    if (this.#manner.garbled === true) this.#garble(frame);
    const bytes = this.#glued ? Buffer.concat([Uint8Array.of(ACK), frame]) : frame;
    this.#glued = false;
    if (this.#manner.byteByByte === true) for (const byte of bytes) this.#send(Uint8Array.of(byte));
    else this.#send(bytes);
  }

  /** Flips one bit of the data or the check byte. The length byte stays correct, so that the frame still ends. */
  #garble(frame: Buffer): void {
    const at = 2 + this.#host.chance(frame.length - 2);
    frame[at] = (frame[at] ?? 0) ^ (1 << this.#host.chance(8));
  }

  /** Sends the bytes after all earlier bytes. Without a connection, drops the bytes. */
  #send(bytes: Uint8Array): void {
    const link = this.#link;
    this.#sending = this.#sending.then(() => link?.write(bytes, deadlineIn(this.#host.clock, WRITE_MS)));
  }
}
