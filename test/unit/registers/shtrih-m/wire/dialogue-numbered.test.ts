import { describe, expect, it } from "vitest";
import { begin, ended, type Input, type Left, transition, turnOf } from "../../../../../src/registers/shtrih-m/wire/dialogue-numbered.ts";
import type { ExchangeRequest } from "../../../../../src/registers/shtrih-m/wire/exchange.ts";
import { NumberedParser } from "../../../../../src/registers/shtrih-m/wire/frame-numbered.ts";

const TIMING = { acknowledgeMs: 3_000, settleMs: 100 };
const safe: ExchangeRequest = { data: Buffer.from("101E000000", "hex"), code: [0x10], allowedMs: 5_000, repeat: "safe" };
const registering: ExchangeRequest = {
  data: Buffer.concat([Buffer.from("FF4501000000", "hex"), Buffer.alloc(112)]),
  code: [0xff, 0x45],
  allowedMs: 60_000,
  repeat: "never",
};

const ANSWER = Buffer.from("1000", "hex");
const CLOSED = Buffer.from("FF45000000000000570100003412CDAB", "hex");
const OLD = Buffer.from("FF4600", "hex");
const NOTHING = Buffer.alloc(0);

const silence: Input = { kind: "silence" };
const damaged: Input = { kind: "damaged" };
const junk: Input = { kind: "noise", byte: 0xff };
const lost: Input = { kind: "lost", reason: "кабель", unsent: false };
const opened: Input = { kind: "opened" };
const answer = (number: number, data: Buffer): Input => ({ kind: "message", number, data });

/** The device has carried out command 4 and answered it with `OLD`. */
const KNOWN: Left = { last: { number: 4, answer: OLD }, unsettled: undefined };

describe("an exchange of protocol 2.0 that goes well", () => {
  it("asks for the number once the link is open, and counts on from it", () => {
    const first = play(registering, [answer(4, OLD), answer(5, CLOSED)]);
    expect(first.sent).toEqual(["question", "FF45 as 5"]);
    expect(first.result).toEqual({ kind: "answered", data: CLOSED });
    const next = play(safe, [answer(6, ANSWER)], { left: first.left });
    expect(next.sent).toEqual(["10 as 6"]);
    expect(next.result).toEqual({ kind: "answered", data: ANSWER });
  });

  it("counts on from 65535 with 0, which is an ordinary number", () => {
    expect(play(registering, [answer(65_535, OLD), answer(0, CLOSED)]).sent).toEqual(["question", "FF45 as 0"]);
  });

  it("waits for the first sign as long as for an acknowledgement, then as long as the command may take", () => {
    expect(play(registering, [], { left: KNOWN }).waitMs).toBe(3_000);
    expect(play(registering, [silence], { left: KNOWN }).waitMs).toBe(60_000);
  });

  it("is not disturbed by noise, by a question or by the late answer before", () => {
    const played = play(registering, [junk, answer(4, OLD), { kind: "question" }, answer(4, OLD), answer(5, CLOSED)], { left: KNOWN });
    expect(played.sent).toEqual(["FF45 as 5"]);
    expect(played.result).toMatchObject({ kind: "answered" });
  });
});

describe("a command whose answer does not come", () => {
  it("is sent again, the identical frame under the identical number", () => {
    const played = play(registering, [silence, silence, answer(5, CLOSED)], { left: KNOWN });
    expect(played.sent).toEqual(["FF45 as 5", "FF45 as 5", "FF45 as 5"]);
    expect(played.bytes[1]).toEqual(played.bytes[0]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is sent again at once when the answer came damaged, a few times", () => {
    const played = play(registering, [damaged, damaged, damaged, damaged, damaged], { left: KNOWN });
    expect(played.sent).toEqual(Array(4).fill("FF45 as 5"));
    expect(played.name).toBe("awaiting");
  });

  it("stays unknown after a minute's worth of repeats, and the next exchange asks for the number", () => {
    const played = play(registering, Array<Input>(30).fill(silence), { left: KNOWN });
    expect(played.sent).toEqual(Array(20).fill("FF45 as 5"));
    expect(played.result).toMatchObject({ kind: "unknown" });
    const next = play(safe, [answer(5, CLOSED), answer(6, ANSWER)], { left: played.left });
    expect(next.sent).toEqual(["question", "10 as 6"]);
    // The late answer is kept, because it states the outcome of the earlier command.
    expect(next.stale).toEqual([CLOSED]);
  });

  it("has no answer aside when the device has not carried it out", () => {
    const { left } = play(registering, Array<Input>(30).fill(silence), { left: KNOWN });
    const next = play(safe, [answer(4, OLD), answer(5, Buffer.from("FC00", "hex")), answer(6, ANSWER)], { left });
    expect([next.sent, next.stale]).toEqual([["question", "FC as 5", "10 as 6"], []]);
  });

  it("that comes late, when its number is spent, is kept aside", () => {
    const { left } = play(registering, Array<Input>(30).fill(silence), { left: KNOWN });
    const next = play(safe, [answer(4, OLD), answer(5, CLOSED), answer(6, ANSWER)], { left });
    expect(next.sent).toEqual(["question", "FC as 5", "10 as 6"]);
    expect([next.stale, next.result]).toEqual([[CLOSED], { kind: "answered", data: ANSWER }]);
  });

  it("is unknown when the caller's time is over, and undelivered before it was sent", () => {
    expect(play(registering, [{ kind: "expired" }], { left: KNOWN }).result).toMatchObject({ kind: "unknown" });
    expect(play(registering, [{ kind: "expired" }]).result).toMatchObject({ kind: "undelivered", bytesLeft: false });
  });
});

describe("a number that is not ours", () => {
  it("leaves a registering command unknown: it may have been carried out before the device began to count anew", () => {
    for (const number of [0, 3, 6, 1_000]) {
      const played = play(registering, [answer(number, OLD)], { left: KNOWN });
      expect(played.sent).toEqual(["FF45 as 5"]);
      expect(played.result).toMatchObject({ kind: "unknown", reason: expect.stringContaining("перезапускалась") });
    }
    expect(play(registering, [silence, answer(0, NOTHING)], { left: KNOWN }).result).toMatchObject({ kind: "unknown" });
  });

  it("has a command that changes nothing take the number after it", () => {
    const played = play(safe, [answer(9, OLD), answer(10, ANSWER)], { left: KNOWN });
    expect(played.sent).toEqual(["10 as 5", "10 as 10"]);
    expect(played.result).toEqual({ kind: "answered", data: ANSWER });
  });

  it("that comes again and again ends even that", () => {
    const played = play(safe, [answer(9, OLD), answer(20, OLD), answer(31, OLD), answer(42, OLD)], { left: KNOWN });
    expect(played.sent).toHaveLength(4);
    expect(played.result).toMatchObject({ kind: "unknown" });
  });

  it("is ours with the answer of another command: as good as foreign (shtrih-protocol 14.3)", () => {
    const stale = Buffer.from("1E00", "hex");
    expect(play(safe, [answer(5, stale), answer(6, ANSWER)], { left: KNOWN }).sent).toEqual(["10 as 5", "10 as 6"]);
    expect(play(registering, [answer(5, stale)], { left: KNOWN }).result).toMatchObject({ kind: "unknown" });
    expect(play(registering, [answer(5, NOTHING)], { left: KNOWN }).result).toMatchObject({ kind: "unknown" });
  });
});

describe("number 1, which a device that was just switched on would carry out", () => {
  it("never carries a command that may not be repeated: a harmless one spends it", () => {
    const played = play(registering, [answer(0, NOTHING), answer(1, Buffer.from("FC00", "hex")), answer(2, CLOSED)]);
    expect(played.sent).toEqual(["question", "FC as 1", "FF45 as 2"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is spent by as many attempts as it takes, and leaves the command undelivered when nothing comes", () => {
    const late = play(registering, [answer(0, NOTHING), silence, answer(0, NOTHING), damaged, answer(1, ANSWER)]);
    expect(late.sent).toEqual(["question", "FC as 1", "FC as 1", "FC as 1", "FF45 as 2"]);
    const never = play(registering, [answer(0, NOTHING), ...Array<Input>(10).fill(silence)]);
    expect(never.result).toMatchObject({ kind: "undelivered", bytesLeft: false });
  });

  it("carries any command that changes nothing", () => {
    expect(play(safe, [answer(0, NOTHING), answer(1, ANSWER)]).sent).toEqual(["question", "10 as 1"]);
  });

  it("is spent after 65535 numbers as well", () => {
    expect(play(registering, [answer(0, OLD), answer(1, ANSWER)]).sent).toEqual(["question", "FC as 1", "FF45 as 2"]);
  });
});

describe("a number under which an earlier command may still be on its way", () => {
  const left: Left = { last: undefined, unsettled: 5 };

  it("is spent before another command takes the next", () => {
    const played = play(registering, [answer(4, OLD), answer(5, Buffer.from("FC00", "hex")), answer(6, CLOSED)], { left });
    expect([played.sent, played.stale]).toEqual([["question", "FC as 5", "FF45 as 6"], []]);
  });

  it("tells what became of the earlier one when that was first", () => {
    const earlier = Buffer.from("FF45000000000000560100003412CDAB", "hex");
    const played = play(registering, [answer(4, OLD), answer(5, earlier), answer(6, CLOSED)], { left });
    expect(played.sent).toEqual(["question", "FC as 5", "FF45 as 6"]);
    expect([played.stale, played.result]).toEqual([[earlier], { kind: "answered", data: CLOSED }]);
  });
});

describe("a device of protocol 2.0 that does not react", () => {
  it("is asked five times, then the command counts as undelivered", () => {
    const played = play(registering, Array<Input>(6).fill(silence));
    expect(played.sent).toEqual(Array(5).fill("question"));
    expect(played.result).toMatchObject({ kind: "undelivered", bytesLeft: false });
  });

  it("is asked as long as the caller is patient, the last time for no longer than that", () => {
    expect(play({ ...registering, reactionMs: 60_000 }, Array<Input>(30).fill(silence)).sent).toHaveLength(20);
    expect(play({ ...registering, reactionMs: 1_000 }, []).waitMs).toBe(1_000);
  });

  it("is given up in a storm of noise", () => {
    expect(play(registering, Array<Input>(10_000).fill(junk)).result).toMatchObject({ kind: "undelivered" });
    expect(play(registering, Array<Input>(10_000).fill(junk), { left: KNOWN }).result).toMatchObject({ kind: "unknown" });
  });
});

describe("a link of protocol 2.0 that goes", () => {
  it("is opened first when it is shut, and the number asked for", () => {
    expect(play(registering, [opened, answer(4, OLD)], { left: KNOWN, open: false }).sent).toEqual(["open", "question", "FF45 as 5"]);
  });

  it("that cannot be opened leaves the command undelivered, with the link's words", () => {
    const { result } = play(registering, [{ kind: "shut", reason: "порт занят" }], { open: false });
    expect(result).toEqual({ kind: "undelivered", reason: "порт занят", bytesLeft: false });
  });

  it("behind the command is opened again: a device that has carried it out tells the answer", () => {
    const played = play(registering, [lost, opened, answer(5, CLOSED)], { left: KNOWN });
    expect(played.sent).toEqual(["FF45 as 5", "open", "question"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("behind the command has it sent again to a device that proves that it has not seen it", () => {
    const played = play(registering, [lost, opened, silence, answer(4, OLD), answer(5, CLOSED)], { left: KNOWN });
    expect(played.sent).toEqual(["FF45 as 5", "open", "question", "question", "FF45 as 5"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("has nothing sent again to a device that has lost its power, or is another one", () => {
    for (const told of [answer(0, NOTHING), answer(4, ANSWER), answer(4, NOTHING), answer(3, OLD)]) {
      const played = play(registering, [lost, opened, told], { left: KNOWN });
      expect(played.sent).toEqual(["FF45 as 5", "open", "question"]);
      expect(played.result).toMatchObject({ kind: "unknown" });
    }
  });

  it("with the command still on our side is as if nothing was sent", () => {
    const unsent: Input = { kind: "lost", reason: "кабель", unsent: true };
    expect(play(registering, [unsent, { kind: "shut", reason: "нет" }], { left: KNOWN }).result).toMatchObject({ kind: "undelivered" });
    expect(play(registering, [silence, unsent, { kind: "shut", reason: "нет" }], { left: KNOWN }).result).toMatchObject({
      kind: "unknown",
    });
  });

  it("is opened three times, no more", () => {
    const played = play(registering, Array<Input[]>(4).fill([lost, opened]).flat(), { left: KNOWN });
    expect(played.sent.filter((what) => what === "open")).toHaveLength(3);
    expect(played.result).toEqual({ kind: "unknown", reason: "кабель" });
  });

  it("has an exchange that has ended do nothing more", () => {
    const { state } = play(registering, [answer(5, CLOSED)], { left: KNOWN });
    expect(transition(state, lost)).toEqual({ state, effects: [] });
  });
});

/** Plays the inputs. Returns what was sent, in order, and the last state. */
function play(request: ExchangeRequest, inputs: readonly Input[], { open = true, left }: { open?: boolean; left?: Left | undefined } = {}) {
  const sent: string[] = [];
  const bytes: Buffer[] = [];
  let step = begin(turnOf(request, TIMING), { open, left });
  let waitMs = step.waitMs;
  const note = () => {
    for (const effect of step.effects) {
      sent.push(effect.kind === "send" ? nameOf(effect.bytes) : effect.kind);
      if (effect.kind === "send") bytes.push(Buffer.from(effect.bytes));
    }
    waitMs = step.waitMs ?? waitMs;
  };
  note();
  for (const input of inputs) {
    step = transition(step.state, input);
    note();
  }
  const { state } = step;
  const end = ended(state);
  return { sent, bytes, waitMs, state, name: state.name, result: end?.result, stale: end?.stale, left: end?.left };
}

function nameOf(bytes: Uint8Array): string {
  const [token] = new NumberedParser().push(bytes);
  if (token?.kind !== "message") return token?.kind ?? "nothing";
  const code = token.data.subarray(0, token.data[0] === 0xff ? 2 : 1);
  return `${code.toString("hex").toUpperCase()} as ${token.number}`;
}
