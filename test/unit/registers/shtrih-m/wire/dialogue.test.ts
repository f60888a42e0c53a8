import { describe, expect, it } from "vitest";
import { begin, type Input, type State, type Turn, transition } from "../../../../../src/registers/shtrih-m/wire/dialogue.ts";
import { ACK, ENQ, frameOf, NAK } from "../../../../../src/registers/shtrih-m/wire/frame.ts";

const STATUS = frameOf(Buffer.from("101E000000", "hex"));
const CLOSE = frameOf(Buffer.concat([Buffer.from("FF4501000000", "hex"), Buffer.alloc(112)]));
const ANSWER = Buffer.from("1000", "hex");
const CLOSED = Buffer.from("FF45000000000000570100003412CDAB", "hex");
const OLD = Buffer.from("1E00", "hex");

const nak: Input = { kind: "nak" };
const ack: Input = { kind: "ack" };
const silence: Input = { kind: "silence" };
const damaged: Input = { kind: "damaged" };
const filler: Input = { kind: "noise", byte: 0xff };
const junk: Input = { kind: "noise", byte: 0x41 };
const lost: Input = { kind: "lost", reason: "кабель", unsent: false };
const opened: Input = { kind: "opened" };
const answer = (data: Buffer): Input => ({ kind: "frame", data });

const safe = turn(STATUS, [0x10], "safe");
const registering = turn(CLOSE, [0xff, 0x45], "never");

describe("an exchange that goes well", () => {
  it("is ENQ, NAK, frame, ACK, answer, ACK", () => {
    const played = play(registering, [nak, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("waits for the answer as long as the command is allowed", () => {
    expect(play(registering, [nak, ack]).waitMs).toBe(60_000);
    expect(play(registering, [nak]).waitMs).toBe(3_000);
  });

  it("takes an answer whose acknowledgement of the command was lost", () => {
    expect(play(registering, [nak, answer(CLOSED)]).result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("skips what stands before 02 in the answer (case 3)", () => {
    const played = play(registering, [nak, ack, junk, filler, ack, nak, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("skips the FF that some devices add before a NAK (case 2)", () => {
    expect(play(safe, [filler, filler, nak, ack, answer(ANSWER)]).sent).toEqual(["ENQ", "frame", "ACK"]);
  });
});

describe("a device that has an older answer", () => {
  it("gives it first; it is acknowledged, kept aside, and the device asked again (cases 1 and 6)", () => {
    const played = play(registering, [ack, answer(OLD), nak, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "ACK", "ENQ", "frame", "ACK"]);
    expect(played.stale).toEqual([OLD]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("may give it without a word before", () => {
    expect(play(registering, [answer(OLD), nak, ack, answer(CLOSED)]).stale).toEqual([OLD]);
  });

  it("gives it again when its check byte was wrong", () => {
    const played = play(registering, [ack, damaged, ack, answer(OLD), nak]);
    expect(played.sent).toEqual(["ENQ", "NAK", "ENQ", "ACK", "ENQ", "frame"]);
    expect(played.stale).toEqual([OLD]);
  });

  it("is asked again when the older answer never comes", () => {
    expect(play(registering, [ack, silence, nak]).sent).toEqual(["ENQ", "ENQ", "frame"]);
  });

  it("answers with it instead of ours: kept aside, and ours asked for", () => {
    const played = play(registering, [nak, ack, answer(OLD), ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ACK", "ENQ", "ACK"]);
    expect(played.stale).toEqual([OLD]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is unknown when ours is not there behind it", () => {
    expect(play(registering, [nak, ack, answer(OLD), nak]).result).toMatchObject({ kind: "unknown" });
  });
});

describe("a line with junk on it", () => {
  it("is waited for to fall silent before ENQ goes out again", () => {
    const played = play(registering, [junk, junk, nak]);
    expect(played).toMatchObject({ sent: ["ENQ"], name: "settling", waitMs: 100 });
    expect(play(registering, [junk, junk, nak, silence, nak]).sent).toEqual(["ENQ", "ENQ", "frame"]);
  });

  it("is given up when it never falls silent, with nothing sent", () => {
    const played = play(registering, Array<Input>(10_000).fill(junk));
    expect(played.sent).toEqual(["ENQ", "close"]);
    expect(played.result).toMatchObject({ kind: "undelivered", bytesLeft: false });
  });

  it("is given up as unknown once the command is out", () => {
    expect(play(registering, [nak, ack, ...Array<Input>(10_000).fill(junk)]).result).toMatchObject({ kind: "unknown" });
  });

  it("holds no more old answers than a few, however many come", () => {
    const played = play(registering, [junk, ...Array<Input>(2_000).fill(answer(OLD))]);
    expect(played.stale.length).toBeLessThanOrEqual(8);
  });
});

describe("a device that does not react", () => {
  it("is greeted five times, then the command counts as undelivered", () => {
    const played = play(registering, Array<Input>(5).fill(silence));
    expect(played.sent).toEqual(Array(5).fill("ENQ"));
    expect(played.result).toMatchObject({ kind: "undelivered", bytesLeft: false });
  });

  it("answers every ENQ of the meantime at once: none of those NAKs counts as a refusal of the command", () => {
    const played = play(registering, [silence, silence, nak, nak, nak, silence, nak, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "ENQ", "ENQ", "ENQ", "frame", "ACK"]);
  });

  it("whose late NAKs come after the command gets it once only", () => {
    const played = play(registering, [silence, silence, nak, silence, nak, nak, nak, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "ENQ", "ENQ", "ENQ", "frame", "ACK"]);
    expect(played.result).toMatchObject({ kind: "answered" });
  });

  it("leaves its unanswered ENQs to the next exchange, which waits for silence first", () => {
    const { unanswered } = play(registering, Array<Input>(5).fill(silence));
    expect(unanswered).toBe(5);
    const next = play(registering, [nak, nak, nak, nak, nak, silence, nak, ack, answer(CLOSED)], { open: true, unanswered });
    expect(next.sent).toEqual(["ENQ", "frame", "ACK"]);
    expect(next.unanswered).toBe(0);
  });
});

describe("a command that the device refuses as garbled (case 5)", () => {
  it("is sent again once ENQ has shown that the device meant it, three times in all", () => {
    const played = play(registering, [nak, nak, silence, nak, nak, silence, nak, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ", "frame", "ENQ", "frame", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is not sent again when the NAK was that of a doubled ENQ", () => {
    const played = play(registering, [nak, nak, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
    expect(play(registering, [nak, nak, nak, nak, ack, answer(CLOSED)]).sent).toEqual(["ENQ", "frame", "ACK"]);
  });

  it("is asked about when the device has taken it and its ACK came as a NAK", () => {
    const played = play(registering, [nak, nak, silence, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is not sent again when its answer follows the NAK that the line has made of the ACK", () => {
    const played = play(registering, [nak, nak, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("stays unknown when the link goes after the NAK: a device that lost its power has lost its answer too", () => {
    const played = play(registering, [nak, nak, silence, lost, opened, nak]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ", "open", "ENQ"]);
    expect(played.result).toMatchObject({ kind: "unknown" });
  });

  it("is certain not to be carried out after the third refusal", () => {
    const played = play(registering, [nak, nak, silence, nak, nak, silence, nak, nak, silence, nak]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ", "frame", "ENQ", "frame", "ENQ"]);
    expect(played.result).toMatchObject({ kind: "undelivered", bytesLeft: true });
  });
});

describe("a command that may or may not have arrived", () => {
  it("is asked for: a device that has it gives the answer", () => {
    const played = play(registering, [nak, silence, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is never sent again when it registers and the device is idle", () => {
    const played = play(registering, [nak, silence, nak]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ"]);
    expect(played.result).toMatchObject({ kind: "unknown" });
  });

  it("is sent again when it only reads and the device is idle", () => {
    const played = play(safe, [nak, silence, nak, ack, answer(ANSWER)]);
    expect(played.sent).toEqual(["ENQ", "frame", "ENQ", "frame", "ACK"]);
    expect(played.result).toMatchObject({ kind: "answered" });
  });

  it("is asked for as long as a device may print, then stays unknown", () => {
    const played = play(registering, [nak, ack, ...Array<Input>(30).fill(silence)]);
    expect(played.sent.filter((what) => what === "frame")).toHaveLength(1);
    expect(played.sent.filter((what) => what === "ENQ")).toHaveLength(21);
    expect(played.result).toMatchObject({ kind: "unknown" });
  });

  it("is unknown when the caller's time is over, and undelivered before it was sent", () => {
    expect(play(registering, [nak, ack, { kind: "expired" }]).result).toMatchObject({ kind: "unknown" });
    expect(play(registering, [nak, { kind: "expired" }]).result).toMatchObject({ kind: "unknown" });
    expect(play(registering, [{ kind: "expired" }]).result).toMatchObject({ kind: "undelivered", bytesLeft: false });
  });
});

describe("an answer that came garbled (case 4)", () => {
  it("is refused, asked for, and taken when it comes whole", () => {
    const played = play(registering, [nak, ack, damaged, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "NAK", "ENQ", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("is lost when the device has dropped it", () => {
    expect(play(registering, [nak, ack, damaged, nak]).result).toMatchObject({ kind: "unknown" });
  });

  it("is given up when it never comes whole", () => {
    const inputs = [nak, ack, ...Array<Input[]>(4).fill([damaged, ack]).flat()];
    expect(play(registering, inputs).result).toMatchObject({ kind: "unknown" });
  });
});

describe("a link that goes", () => {
  it("is opened first when it is shut", () => {
    const played = play(registering, [opened, nak, ack, answer(CLOSED)], { open: false, unanswered: 3 });
    expect(played.sent).toEqual(["open", "ENQ", "frame", "ACK"]);
  });

  it("that cannot be opened leaves the command undelivered, with the link's words", () => {
    const played = play(registering, [{ kind: "shut", reason: "порт занят" }], { open: false, unanswered: 0 });
    expect(played.result).toEqual({ kind: "undelivered", reason: "порт занят", bytesLeft: false });
  });

  it("before the command is opened again and the device greeted", () => {
    expect(play(registering, [lost, opened, nak, ack, answer(CLOSED)]).sent).toEqual(["ENQ", "open", "ENQ", "frame", "ACK"]);
  });

  it("with the command still on our side is as if nothing was sent", () => {
    const unsent: Input = { kind: "lost", reason: "кабель", unsent: true };
    expect(play(registering, [nak, unsent, opened, nak, ack, answer(CLOSED)]).sent).toEqual([
      "ENQ",
      "frame",
      "open",
      "ENQ",
      "frame",
      "ACK",
    ]);
    expect(play(registering, [nak, unsent, { kind: "shut", reason: "нет" }]).result).toEqual({
      kind: "undelivered",
      reason: "нет",
      bytesLeft: false,
    });
  });

  it("behind the command is opened again, and the device asked for its answer", () => {
    const played = play(registering, [nak, ack, lost, opened, ack, answer(CLOSED)]);
    expect(played.sent).toEqual(["ENQ", "frame", "open", "ENQ", "ACK"]);
    expect(played.result).toEqual({ kind: "answered", data: CLOSED });
  });

  it("behind a registering command leaves it unknown when the device has no answer", () => {
    expect(play(registering, [nak, lost, opened, nak]).result).toMatchObject({ kind: "unknown" });
    expect(play(registering, [nak, lost, { kind: "shut", reason: "нет" }]).result).toEqual({ kind: "unknown", reason: "нет" });
  });

  it("again and again is given up", () => {
    expect(play(registering, Array<Input[]>(9).fill([lost, opened]).flat()).result).toMatchObject({ kind: "undelivered" });
  });
});

describe("the dialogue as a whole", () => {
  it("ends within a bounded number of steps, whatever comes, and sends a registering command again only after two NAKs", () => {
    const kinds: Input[] = [nak, ack, silence, damaged, filler, junk, lost, opened, answer(CLOSED), answer(OLD), { kind: "enq" }];
    for (let seed = 1; seed <= 3_000; seed += 1) {
      let chance = seed;
      let { state } = begin(registering, { open: seed % 2 === 0, unanswered: seed % 3 });
      // The number of NAKs: to the ENQ that asks about the frame, and to the frame. The first frame needs none.
      let naks = 2;
      let steps = 0;
      for (; state.name !== "ended"; steps += 1) {
        if (steps > 20_000) throw new Error(`seed ${seed} never ends`);
        chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0;
        const input = kinds[(chance >>> 8) % kinds.length] ?? silence;
        const next = transition(state, input);
        const frames = next.effects.filter((effect) => effect.kind === "send" && effect.bytes.length > 1).length;
        if (input.kind === "nak" && ["delivering", "denied", "asking"].includes(state.name)) naks += 1;
        if (frames > 0 && naks < 2) throw new Error(`seed ${seed} sends twice`);
        if (frames > 0) naks = 0;
        ({ state } = next);
      }
      expect(state.result.kind).toMatch(/^(answered|undelivered|unknown)$/);
    }
  });

  it("does nothing more once it has ended", () => {
    const { state } = play(registering, [nak, ack, answer(CLOSED)]);
    expect(transition(state, nak)).toEqual({ state, effects: [] });
  });
});

function turn(frame: Buffer, code: readonly number[], repeat: "safe" | "never"): Turn {
  return { frame, code, repeat, allowedMs: 60_000, greetings: 5, timing: { acknowledgeMs: 3_000, settleMs: 100 } };
}

/** Plays the inputs. Returns what was sent, in order, and the last state. */
function play(of: Turn, inputs: readonly Input[], start = { open: true, unanswered: 0 }) {
  const sent: string[] = [];
  let step = begin(of, start);
  let waitMs = step.waitMs;
  const note = () => {
    for (const effect of step.effects) sent.push(effect.kind === "send" ? nameOfBytes(effect.bytes) : effect.kind);
    waitMs = step.waitMs ?? waitMs;
  };
  note();
  for (const input of inputs) {
    step = transition(step.state, input);
    note();
  }
  const { state } = step;
  const { stale, unanswered } = state.memory;
  return { sent, waitMs, state, name: state.name, stale, unanswered, result: resultOf(state) };
}

function resultOf(state: State) {
  return state.name === "ended" ? state.result : undefined;
}

function nameOfBytes(bytes: Uint8Array): string {
  const names = new Map([
    [ENQ, "ENQ"],
    [ACK, "ACK"],
    [NAK, "NAK"],
  ]);
  return bytes.length === 1 ? (names.get(bytes[0] ?? 0) ?? "?") : "frame";
}
