import type { Register } from "../../src/registers/register.ts";

/** What runs in a page, in a terminal and in a program for tables, and what turns the writing around. */
export const HOSTILE = `=1+1<script>alert("x")</script>\u001b[2J\u001b]0;owned\u0007\u202egnp`;

/** A device that refuses every document with words of its own while `words` is set. */
export class RefusingDevice {
  words: string | undefined;

  before(register: Register): Register {
    return {
      identity: (deadline) => register.identity(deadline),
      inspect: (deadline) => register.inspect(deadline),
      lookUp: (number, deadline) => register.lookUp(number, deadline),
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
      perform: async (document, deadline, attempt) =>
        this.words === undefined
          ? register.perform(document, deadline, attempt)
          : { kind: "refused", refusal: { code: "device-refused", device: { code: this.words, words: this.words } } },
    };
  }
}
