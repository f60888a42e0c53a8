import { NOT_HELD } from "../not-permitted.ts";
import type { Link } from "./link.ts";

/**
 * Returns a link that asks right before each write whether it may send. Nothing is awaited between the question and the write, so a process
 * that was paused before the write asks when it runs again. A refused write counts as a lost connection of which nothing was sent.
 */
export function guarded(link: Link, maySend: () => boolean): Link {
  return {
    name: link.name,
    get isOpen() {
      return link.isOpen;
    },
    open: (deadline) => link.open(deadline),
    async write(bytes, deadline) {
      return maySend() ? link.write(bytes, deadline) : { kind: "lost", reason: NOT_HELD, left: false };
    },
    drain: (deadline) => link.drain(deadline),
    read: (deadline) => link.read(deadline),
    close: () => link.close(),
  };
}
