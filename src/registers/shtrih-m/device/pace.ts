import { type Clock, pause } from "../../../kernel/clock.ts";
import type { Link } from "../../links/link.ts";

/** Start bit, eight bits, stop bit. */
const BITS_PER_BYTE = 10;
/** Timers are no finer, ms: bytes that fall due within one leave together. */
const TICK_MS = 1;

/** The same link as slow as a serial line of that speed, each way. */
export function paced(link: Link, clock: Clock, baud: number): Link {
  const msPerByte = (BITS_PER_BYTE * 1_000) / baud;
  const perTick = Math.max(1, Math.floor(TICK_MS / msPerByte));
  let inFreeAtMs = 0;
  let outFreeAtMs = 0;
  return {
    name: link.name,
    get isOpen() {
      return link.isOpen;
    },
    open: (deadline) => link.open(deadline),
    drain: (deadline) => link.drain(deadline),
    close: () => link.close(),
    async write(bytes, deadline) {
      for (let at = 0; at < bytes.length; at += perTick) {
        const piece = bytes.subarray(at, at + perTick);
        outFreeAtMs = Math.max(outFreeAtMs, clock.monotonicMs()) + piece.length * msPerByte;
        await pause(clock, outFreeAtMs - clock.monotonicMs());
        const sent = await link.write(piece, deadline);
        if (sent.kind === "lost") return sent;
      }
      return { kind: "sent" };
    },
    async read(deadline) {
      const received = await link.read(deadline);
      if (received.kind !== "bytes") return received;
      inFreeAtMs = Math.max(inFreeAtMs, clock.monotonicMs()) + received.bytes.length * msPerByte;
      await pause(clock, inFreeAtMs - clock.monotonicMs());
      return received;
    },
  };
}
