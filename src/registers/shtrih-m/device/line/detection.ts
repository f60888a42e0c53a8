import { deadlineIn } from "../../../../kernel/deadline.ts";
import type { Link } from "../../../links/link.ts";
import { ENQ, STX } from "../../wire/frame.ts";
import { FRAME_START } from "../../wire/frame-numbered.ts";
import type { Host } from "./conversation.ts";
import { IDLE_MS } from "./listening.ts";

export type LowLevelName = "1.0" | "2.0";

/** First bytes of a host and their protocols (shtrih-protocol 2.3). */
const FIRST_BYTES = new Map<number, LowLevelName>([
  [ENQ, "1.0"],
  [STX, "1.0"],
  [FRAME_START, "2.0"],
]);

/**
 * The device's protocol. It is configured, or the first known byte on any connection after power-on decides it. The protocol then stays
 * until the power goes off.
 */
export class Detection {
  readonly #fixed: LowLevelName | undefined;
  #spoken: LowLevelName | undefined;

  constructor(protocol: LowLevelName | "auto") {
    this.#fixed = protocol === "auto" ? undefined : protocol;
    this.#spoken = this.#fixed;
  }

  get spoken(): LowLevelName | undefined {
    return this.#spoken;
  }

  /** Resets the protocol after a power cut. */
  forget(): void {
    this.#spoken = this.#fixed;
  }

  /** Drops bytes before the first known byte. Returns all bytes once the protocol is known. Undefined: the protocol is still unknown. */
  hear(bytes: Buffer): Buffer | undefined {
    if (this.#spoken !== undefined) return bytes;
    const at = bytes.findIndex((byte) => FIRST_BYTES.has(byte));
    if (at < 0) return undefined;
    this.#spoken = FIRST_BYTES.get(bytes[at] ?? 0);
    return bytes.subarray(at);
  }
}

/** Waits for bytes that the detection returns. Drops bytes that arrive while the device is deaf. Undefined: the link was lost. */
export async function firstWords(link: Link, { clock, deaf }: { clock: Host["clock"]; deaf(): boolean }, detection: Detection) {
  for (;;) {
    const received = await link.read(deadlineIn(clock, IDLE_MS));
    if (received.kind === "lost") return undefined;
    if (received.kind === "silence" || deaf()) continue;
    const words = detection.hear(received.bytes);
    if (words !== undefined) return words;
  }
}
