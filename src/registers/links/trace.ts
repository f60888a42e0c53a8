import type { Deadline } from "../../kernel/deadline.ts";
import type { Link, Opened, Received, Sent } from "./link.ts";

/** A description of bytes for the log. */
interface Described {
  /** The name of the command or single byte. Absent: the bytes begin in the middle of a command, so they get the last name. */
  name?: string;
  /** Hexadecimal, with passwords and buyers' data hidden. */
  shown: string;
}

interface TraceOptions {
  note(level: "trace" | "warn", text: string, values: Record<string, unknown>): void;
  /** Absent: bytes are not logged, because describing them takes longer than sending them. */
  describe?: (bytes: Uint8Array, direction: "out" | "in") => Described;
}

/**
 * Returns a link that logs a warning about a loss or a failed opening. After a warning, further losses and failed openings are logged at
 * level trace until bytes arrive again, because a switched-off register is tried every few seconds. With `describe` all bytes are logged at
 * level trace with the command's name.
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
