import type { Link } from "../../links/link.ts";
import type { RegisterServices } from "../../protocol.ts";

/** What was counted on the line during an examination. */
export interface LineTraffic {
  /** Sent commands, with repeats. */
  commands: number;
  /** Answers with a wrong check. */
  damaged: number;
  /** Pieces of meaningless bytes. */
  noise: number;
  openings: number;
}

/** The first byte of a frame in protocol 1.0 and in protocol 2.0. */
const FRAME_BEGINNINGS = { enquired: 0x02, numbered: 0x8f };
/** Length of a 2.0 frame that asks for the last command's number and contains no command (shtrih-protocol 2.1, type I). */
const QUESTION_BYTES = 5;
/** A byte that some USB and network ports add (shtrih-protocol 1.3). The driver skips it silently, because no answer begins with it. */
const FILLER = 0xff;

interface Watched {
  link: Link;
  /** The connection's `note`. It also counts bytes that the connection drops. */
  note: RegisterServices["note"];
  traffic: Readonly<LineTraffic>;
}

/** Returns a link that counts its traffic. */
export function watched(link: Link, note: RegisterServices["note"]): Watched {
  const traffic: LineTraffic = { commands: 0, damaged: 0, noise: 0, openings: 0 };
  let awaitsReply = false;
  return {
    traffic,
    note(level, text, values) {
      if (values.kind === "damaged") traffic.damaged += 1;
      if (values.kind === "noise") traffic.noise += 1;
      note(level, text, values);
    },
    link: {
      name: link.name,
      get isOpen() {
        return link.isOpen;
      },
      async open(deadline) {
        const wasOpen = link.isOpen;
        const opened = await link.open(deadline);
        if (opened.kind === "open" && !wasOpen) traffic.openings += 1;
        return opened;
      },
      write(bytes, deadline) {
        if (isCommand(bytes)) traffic.commands += 1;
        awaitsReply = true;
        return link.write(bytes, deadline);
      },
      drain: (deadline) => link.drain(deadline),
      async read(deadline) {
        const clears = deadline.remainingMs() <= 0;
        const received = await link.read(deadline);
        if (received.kind === "bytes") {
          if ((awaitsReply || clears) && received.bytes[0] === FILLER) traffic.noise += 1;
          awaitsReply &&= received.bytes.every((byte) => byte === FILLER);
        }
        return received;
      },
      close: () => link.close(),
    },
  };
}

function isCommand(bytes: Uint8Array): boolean {
  const [first] = bytes;
  return first === FRAME_BEGINNINGS.enquired || (first === FRAME_BEGINNINGS.numbered && bytes.length > QUESTION_BYTES);
}
