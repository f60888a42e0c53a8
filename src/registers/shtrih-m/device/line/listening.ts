import type { Clock } from "../../../../kernel/clock.ts";
import { deadlineIn } from "../../../../kernel/deadline.ts";
import type { Link } from "../../../links/link.ts";

/** Longest gap between the bytes of one frame, ms: what devices have until 14h sets another (reference 1.1). */
const BYTE_GAP_MS = 100;
/** Bytes that lie ready while this process was busy are read before a gap counts, ms. */
const GRACE_MS = 2;
/** There is nothing to wait for: after this time the reading begins again, ms. */
export const IDLE_MS = 3_600_000;
/** A host that takes no bytes for so long is gone, ms. */
export const WRITE_MS = 10_000;

interface Listener {
  /** A frame has begun and not ended. */
  readonly insideFrame: boolean;
  /** How long outside a frame before silence counts, ms. */
  readonly silenceMs: number;
  take(bytes: Buffer): void;
  /** The frame has stopped half-way. */
  abandon(): void;
  silence(): void;
}

/** Reads the link until it is lost, in whatever protocol the listener hears. */
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
