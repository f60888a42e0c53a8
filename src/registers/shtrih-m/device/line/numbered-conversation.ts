import { deadlineIn } from "../../../../kernel/deadline.ts";
import type { Link } from "../../../links/link.ts";
import { NumberedParser, type NumberedToken } from "../../wire/frame-numbered.ts";
import type { Host } from "./conversation.ts";
import { IDLE_MS, listen, WRITE_MS } from "./listening.ts";
import type { Asker, Numbering } from "./numbering.ts";

/** One connection in protocol 2.0. It has no command state, because the command count belongs to the device. */
export class NumberedConversation implements Asker {
  readonly #host: Host;
  readonly #numbering: Numbering;
  readonly #parser = new NumberedParser();
  #link: Link | undefined;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(host: Host, numbering: Numbering) {
    this.#host = host;
    this.#numbering = numbering;
  }

  /** Serves the link until it is lost. `first`: bytes that have already arrived. */
  async serve(link: Link, first: Buffer): Promise<void> {
    this.#link = link;
    const parser = this.#parser;
    this.#take(first);
    await listen(link, this.#host.clock, {
      get insideFrame() {
        return parser.insideFrame;
      },
      silenceMs: IDLE_MS,
      take: (bytes) => this.#take(bytes),
      abandon: () => parser.abandon(),
      silence() {},
    });
    this.#link = undefined;
  }

  /** Sends the bytes after all earlier bytes. Without a connection, drops the bytes. */
  send(bytes: Buffer, apart: boolean): void {
    const link = this.#link;
    const pieces = apart ? Array.from(bytes, (byte) => Uint8Array.of(byte)) : [bytes];
    for (const piece of pieces) {
      this.#sending = this.#sending.then(() => link?.write(piece, deadlineIn(this.#host.clock, WRITE_MS)));
    }
  }

  #take(bytes: Buffer): void {
    if (this.#host.deaf) return;
    for (const token of this.#parser.push(bytes)) this.#hear(token);
  }

  /** Handles a token. A damaged frame and bytes outside a frame get no answer. */
  #hear(token: NumberedToken): void {
    if (token.kind === "question" || token.kind === "message") this.#numbering.hear({ ...token, asker: this });
  }
}
