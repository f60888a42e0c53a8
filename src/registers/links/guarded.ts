import { NOT_HELD } from "../not-permitted.ts";
import type { Link } from "./link.ts";

/**
 * Returns a link that calls `maySend` right before each write. Nothing is awaited between the call and the write, so the answer is never
 * old. A refused write counts as a lost connection with nothing sent.
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
