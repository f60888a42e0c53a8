import type { Deadline } from "../../kernel/deadline.ts";
import type { Link, Opened, Received, Sent } from "./link.ts";

/** The meaning of bytes in a protocol, and the bytes as they may be shown. */
interface Described {
  /** Name of the command or of the single byte; absent when the bytes begin in the middle of a command. */
  name?: string;
  /** Hexadecimal, with passwords and buyers' data hidden. */
  shown: string;
}

interface TraceOptions {
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  /** Absent when the log does not show the bytes: describing them takes longer than sending them. */
  describe?: (bytes: Uint8Array, direction: "out" | "in") => Described;
}

/**
 * Returns a link that warns when it is lost or does not open. It warns only once until bytes have arrived again, because a register that is
 * switched off is tried every few seconds. With `describe`, all bytes of both directions are logged at level trace, with the name of the
 * command.
 */
export function traced(link: Link, { note, describe }: TraceOptions): Link {
  let command: string | undefined;
  let warnedOf = false;
  const trouble = (text: string, reason: string) => {
    note(warnedOf ? "trace" : "warn", text, { link: link.name, reason });
    warnedOf = true;
  };
  const say = (direction: "out" | "in", bytes: Uint8Array) => {
    if (describe === undefined) return;
    const { name, shown } = describe(bytes, direction);
    command = name ?? command;
    note("trace", direction === "out" ? "bytes to the register" : "bytes from the register", {
      link: link.name,
      command,
      bytes: shown,
    });
  };
  return {
    name: link.name,
    get isOpen() {
      return link.isOpen;
    },
    async open(deadline: Deadline): Promise<Opened> {
      const wasOpen = link.isOpen;
      const opened = await link.open(deadline);
      if (opened.kind === "shut") trouble("the link to the register does not open", opened.reason);
      else if (!wasOpen) note("trace", "the link to the register is open", { link: link.name });
      return opened;
    },
    async write(bytes: Uint8Array, deadline: Deadline): Promise<Sent> {
      say("out", bytes);
      return warned(await link.write(bytes, deadline));
    },
    async drain(deadline: Deadline): Promise<Sent> {
      return warned(await link.drain(deadline));
    },
    async read(deadline: Deadline): Promise<Received> {
      const received = await link.read(deadline);
      if (received.kind === "bytes") {
        warnedOf = false;
        say("in", received.bytes);
      }
      return warned(received);
    },
    close: () => link.close(),
  };

  function warned<T extends Sent | Received>(result: T): T {
    if (result.kind === "lost") trouble("the link to the register is lost", result.reason);
    return result;
  }
}
