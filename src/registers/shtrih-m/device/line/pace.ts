import { type Clock, pause } from "../../../../kernel/clock.ts";
import type { Link } from "../../../links/link.ts";

/** Start bit, eight bits, stop bit. */
const BITS_PER_BYTE = 10;
/** The shortest timer, ms. Bytes that are due within this time are sent together. */
const TICK_MS = 1;

/** Returns a link with the speed of a serial line in both directions. Bytes that are unsent at `close` are lost. */
export function paced(link: Link, clock: Clock, baud: number): Link {
  const msPerByte = (BITS_PER_BYTE * 1_000) / baud;
  const perTick = Math.max(1, Math.floor(TICK_MS / msPerByte));
  // At 50 baud it can take seconds to send the queued bytes. After `close` these waits must not keep the program running.
  const closed = new AbortController();
  let inFreeAtMs = 0;
  let outFreeAtMs = 0;

  /** Waits until the due time. The due times of the pieces of one `write` count from its start, so that timer delays do not add up. */
  async function until(dueMs: number): Promise<void> {
    const forMs = dueMs - clock.monotonicMs();
    if (forMs >= TICK_MS) await pause(clock, forMs, closed.signal);
  }

  return {
    name: link.name,
    get isOpen() {
      return link.isOpen;
    },
    open: (deadline) => link.open(deadline),
    drain: (deadline) => link.drain(deadline),
    close() {
      closed.abort();
      return link.close();
    },
    async write(bytes, deadline) {
      const startMs = Math.max(outFreeAtMs, clock.monotonicMs());
      outFreeAtMs = startMs + bytes.length * msPerByte;
      for (let at = 0; at < bytes.length; at += perTick) {
        const piece = bytes.subarray(at, at + perTick);
        await until(startMs + (at + piece.length) * msPerByte);
        const sent = await link.write(piece, deadline);
        if (sent.kind === "lost") return sent;
      }
      return { kind: "sent" };
    },
    async read(deadline) {
      const received = await link.read(deadline);
      if (received.kind !== "bytes") return received;
      inFreeAtMs = Math.max(inFreeAtMs, clock.monotonicMs()) + received.bytes.length * msPerByte;
      await until(inFreeAtMs);
      return received;
    },
  };
}
