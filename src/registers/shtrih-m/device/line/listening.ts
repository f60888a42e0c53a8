import type { Clock } from "../../../../kernel/clock.ts";
import { deadlineIn } from "../../../../kernel/deadline.ts";
import type { Link } from "../../../links/link.ts";

/** The longest gap inside a frame, ms: the default of real devices, on which the host can change it by 14h (shtrih-protocol 1.1). */
const BYTE_GAP_MS = 100;
/** The extra wait before a gap counts, ms. It lets the device read bytes that arrived while this process was busy. */
const GRACE_MS = 2;
/** How long one read may take while no byte is expected, ms. After that, reading starts again. */
export const IDLE_MS = 3_600_000;
/** A host that accepts no bytes for this time has gone, ms. */
export const WRITE_MS = 10_000;

interface Listener {
  readonly insideFrame: boolean;
  /** The silence outside a frame after which `silence` is called, ms. */
  readonly silenceMs: number;
  take(bytes: Buffer): void;
  abandon(): void;
  silence(): void;
}

/** Reads the link until it is lost, and passes the bytes to the listener. */
export async function listen(link: Link, clock: Clock, listener: Listener): Promise<void> {
  let graced = false;
  for (;;) {
    const waitMs = listener.insideFrame ? BYTE_GAP_MS : listener.silenceMs;
    const received = await link.read(deadlineIn(clock, graced ? GRACE_MS : waitMs));
    switch (received.kind) {
      case "lost":
        return;
      case "bytes":
        graced = false;
        listener.take(received.bytes);
        break;
      case "silence":
        if (listener.insideFrame && !graced) {
          graced = true;
          break;
        }
        graced = false;
        if (listener.insideFrame) listener.abandon();
        else listener.silence();
    }
  }
}
