import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../src/kernel/deadline.ts";
import type { RegisterDocument } from "../../../src/model/document.ts";
import { AgentRegister } from "../../../src/registers/agent/register.ts";
import type { Outcome, Recalled } from "../../../src/registers/register.ts";
import type { Answered, PendingCall, Reach, Tunnel, TunnelCall, TunnelConnection } from "../../../src/registers/tunnel.ts";
import { IDENTITY } from "../../support/journal-entries.ts";
import { cashDocument, reportDocument, sampleSale } from "../../support/register-documents.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const PLACE = { agent: "shop", register: "main", text: "shop" };
const ATTEMPT = { id: "attempt-1", mayRegister: async () => true };
const STATE = {
  driveNumber: IDENTITY.driveNumber,
  lastDocumentNumber: 7,
  shift: { kind: "closed", lastNumber: 1 },
  drawerKopecks: 0,
  time: "2026-11-13 09:00:00",
  paper: "present",
  documentOpen: false,
  queue: { unsent: 0 },
  drive: {
    phase: "fiscal",
    warnings: { keysExpireSoon: false, keysExpireNow: false, memoryFull: false, operatorTimeout: false, operatorMessage: 0 },
  },
};
const DOUBTFUL = { kind: "in-doubt", doubt: { code: "answer-late" } } satisfies Outcome;
const REFUSED = { kind: "refused", refusal: { code: "no-paper" } } satisfies Outcome;

/** What the played agent does in one `perform`. A step that is absent never comes. */
interface Played {
  accepted?: boolean;
  /** The answer. It comes at once when the attempt is not accepted, otherwise after `go`. */
  answered?: Answered;
  /** The connection ends before `go`. */
  brokenAtGo?: true;
}

/** A tunnel to one agent. The test sets the agent's answers. */
class PlayedTunnel implements Tunnel {
  readonly clock = new VirtualClock(0);
  readonly calls: TunnelCall[] = [];
  gone: string | undefined;
  goes = 0;
  closedFor: string[] = [];
  admitted: string | undefined;
  folder = "folder-1";
  epoch = 1;
  /** How the agent comes back after its connection was lost. Undefined: it does not come before the deadline. */
  back: { folder: string } | undefined = { folder: "folder-1" };
  recalls: (Recalled | "lost" | { failed: string })[] = [];
  play: Played = {};
  readonly register = new AgentRegister(PLACE, { clock: this.clock, tunnel: this });

  reach(): Reach {
    return this.gone === undefined ? { kind: "connected", connection: this.#connection() } : { kind: "away", reason: this.gone };
  }

  async again(_agent: string, epoch: number): Promise<Reach> {
    if (this.epoch > epoch && this.gone === undefined) return this.reach();
    if (this.back === undefined) return { kind: "away", reason: "агент shop не на связи" };
    this.gone = undefined;
    this.folder = this.back.folder;
    this.epoch += 1;
    return this.reach();
  }

  async admit(): Promise<string | undefined> {
    return this.admitted;
  }

  /** Inspects first, as a turn does, and then makes the document. */
  async perform(document: RegisterDocument, attempt = ATTEMPT, withinMs = 60_000): Promise<Outcome> {
    await this.register.inspect(deadlineIn(this.clock, 1_000));
    const outcome = this.register.perform(document, deadlineIn(this.clock, withinMs), attempt);
    const ended = { now: false };
    void outcome.finally(() => {
      ended.now = true;
    });
    while (!ended.now) await this.clock.advance(500);
    return outcome;
  }

  #connection(): TunnelConnection {
    const { epoch, folder } = this;
    return {
      epoch,
      folder,
      call: (call) => this.#call(call),
      malformed: (reason) => {
        this.closedFor.push(reason);
      },
    };
  }

  #call(call: TunnelCall): PendingCall {
    this.calls.push(call);
    if (call.do === "perform") return this.#performed(this.play);
    const answered = Promise.resolve(this.#answer(call));
    return { accepted: Promise.resolve(false), answered, go: () => true };
  }

  #performed({ accepted, answered, brokenAtGo }: Played): PendingCall {
    const never = new Promise<never>(() => {});
    const { promise, resolve } = Promise.withResolvers<Answered>();
    if (accepted === false && answered !== undefined) resolve(answered);
    return {
      accepted: accepted === undefined ? never : Promise.resolve(accepted),
      answered: promise,
      go: () => {
        if (brokenAtGo) return false;
        this.goes += 1;
        if (answered?.kind === "lost") this.gone = answered.reason;
        if (answered !== undefined) resolve(answered);
        return true;
      },
    };
  }

  #answer(call: TunnelCall): Answered {
    if (call.do === "identity") return { kind: "result", result: { kind: "reached", value: IDENTITY } };
    if (call.do === "inspect") return { kind: "result", result: { kind: "reached", value: STATE } };
    const recalled = this.recalls.shift() ?? "lost";
    if (recalled !== "lost" && "failed" in recalled) return { kind: "failed", code: recalled.failed, reason: "" };
    return recalled === "lost" ? { kind: "lost", reason: "тишина" } : { kind: "result", result: recalled };
  }
}

const lost = { kind: "lost", reason: "связь прервалась" } as const;
const reasonOf = (outcome: Outcome) => (outcome.kind === "refused" ? outcome.refusal.details?.reason : outcome.kind);

describe("a document for a register behind an agent", () => {
  it("has the outcome that the agent answers", async () => {
    const t = new PlayedTunnel();
    t.play = { accepted: true, answered: { kind: "result", result: REFUSED } };
    expect(await t.perform(sampleSale())).toEqual(REFUSED);
    expect(t.goes).toBe(1);
  });

  it("is refused while the agent is away, and nothing is sent", async () => {
    const t = new PlayedTunnel();
    t.gone = "агент shop не на связи с 09:00";
    expect(reasonOf(await t.perform(sampleSale()))).toBe("агент shop не на связи с 09:00");
    expect(t.calls).toEqual([]);
  });

  it.each<[string, Played]>([
    ["the attempt is not stored in time", {}],
    ["the connection ends before the attempt is stored", { accepted: false, answered: lost }],
    ["the connection ends before the permission", { accepted: true, brokenAtGo: true }],
    ["the agent got no permission in time", { accepted: true, answered: { kind: "failed", code: "no-go", reason: "5 s" } }],
    ["the disk of the agent is full", { accepted: false, answered: { kind: "failed", code: "record-failed", reason: "full" } }],
    ["the attempt was stored as void", { accepted: false, answered: { kind: "failed", code: "void", reason: "" } }],
    ["the agent has heard of a newer holder", { accepted: false, answered: { kind: "failed", code: "fenced", reason: "" } }],
  ])("is refused when %s, and is not recalled", async (_what, play) => {
    const t = new PlayedTunnel();
    t.play = play;
    expect((await t.perform(sampleSale())).kind).toBe("refused");
    expect(t.calls.some((call) => call.do === "recall")).toBe(false);
  });

  it("is refused when the agent has no field for it, in words that name the remedy", async () => {
    const t = new PlayedTunnel();
    t.play = { accepted: false, answered: { kind: "failed", code: "agent-too-old", reason: "" } };
    expect(await t.perform(sampleSale())).toEqual({
      kind: "refused",
      refusal: { code: "device-refused", device: { code: "agent-too-old", words: "агент в магазине нужно обновить" } },
    });
  });

  it("gets no permission when the server may not register any more", async () => {
    const t = new PlayedTunnel();
    t.play = { accepted: true, answered: { kind: "result", result: DOUBTFUL } };
    const outcome = await t.perform(sampleSale(), { id: "attempt-1", mayRegister: async () => false });
    expect(outcome.kind).toBe("refused");
    expect(t.goes).toBe(0);
  });

  it("is refused when another copy of the agent has connected after the inspection", async () => {
    const t = new PlayedTunnel();
    await t.register.inspect(deadlineIn(t.clock, 1_000));
    t.folder = "folder-2";
    expect((await t.register.perform(sampleSale(), deadlineIn(t.clock, 1_000), ATTEMPT)).kind).toBe("refused");
    expect(t.calls.some((call) => call.do === "perform")).toBe(false);
  });

  it("names what it needs of an agent", async () => {
    const t = new PlayedTunnel();
    t.play = { accepted: false, answered: { kind: "failed", code: "busy", reason: "" } };
    for (const document of [cashDocument("cash-in", 100), reportDocument("x-report"), sampleSale()]) await t.perform(document);
    expect(t.calls.flatMap((call) => (call.do === "perform" ? [call.needs] : []))).toEqual([[], ["x-report"], []]);
  });
});

describe("a permitted document whose answer was lost", () => {
  const lostAfterGo = { accepted: true, answered: lost } satisfies Played;

  it("has the outcome of the agent's record", async () => {
    const t = new PlayedTunnel();
    t.play = lostAfterGo;
    t.recalls = [{ kind: "running" }, "lost", { kind: "outcome", outcome: REFUSED }];
    expect(await t.perform(sampleSale())).toEqual(REFUSED);
  });

  it("is refused when the record says that it was never begun", async () => {
    const t = new PlayedTunnel();
    t.play = lostAfterGo;
    t.recalls = [{ kind: "never" }];
    expect((await t.perform(sampleSale())).kind).toBe("refused");
  });

  it("is in doubt when another record says that it was never begun", async () => {
    const t = new PlayedTunnel();
    t.play = lostAfterGo;
    t.back = { folder: "folder-2" };
    t.recalls = [{ kind: "never" }];
    expect((await t.perform(sampleSale())).kind).toBe("in-doubt");
  });

  it.each<[string, { back?: undefined; recalls?: Recalled[]; answered?: Answered }]>([
    ["the agent does not come back by the deadline", { back: undefined }],
    ["the record has no outcome", { recalls: [{ kind: "unknown" }] }],
    ["it is still being made at the deadline", { recalls: Array.from({ length: 1_000 }, () => ({ kind: "running" }) as const) }],
    ["the record gives no answer by the deadline", { recalls: [] }],
    [
      "the agent could not store its outcome",
      { recalls: [{ kind: "unknown" }], answered: { kind: "failed", code: "record-failed", reason: "" } },
    ],
  ])("is in doubt when %s", async (_what, { answered = lost, ...set }) => {
    const t = Object.assign(new PlayedTunnel(), set);
    t.play = { accepted: true, answered };
    expect((await t.perform(sampleSale())).kind).toBe("in-doubt");
  });

  it.each(["fenced", "unknown-register", "unknown-call", "agent-too-old"])(
    "is in doubt after one question when its agent answers %s, which lasts",
    async (failed) => {
      const t = new PlayedTunnel();
      t.play = lostAfterGo;
      t.recalls = Array.from({ length: 1_000 }, () => ({ failed }));
      expect((await t.perform(sampleSale())).kind).toBe("in-doubt");
      expect(t.calls.filter((call) => call.do === "recall")).toHaveLength(1);
    },
  );

  it("is asked for again when the agent answers that it is busy", async () => {
    const t = new PlayedTunnel();
    t.play = lostAfterGo;
    t.recalls = [{ failed: "busy" }, { kind: "outcome", outcome: REFUSED }];
    expect(await t.perform(sampleSale())).toEqual(REFUSED);
  });

  it("is asked for when the answer has an unknown shape, and that connection ends", async () => {
    const t = new PlayedTunnel();
    t.play = { accepted: true, answered: { kind: "result", result: { kind: "done", facts: {} } } };
    t.recalls = [{ kind: "outcome", outcome: REFUSED }];
    expect(await t.perform(sampleSale())).toEqual(REFUSED);
    expect(t.closedFor).toHaveLength(1);
  });
});

describe("the device behind an agent", () => {
  it("is not used while it is not the device that was seen first", async () => {
    const t = new PlayedTunnel();
    t.admitted = "за агентом shop другая касса";
    expect(await t.register.inspect(deadlineIn(t.clock, 1_000))).toEqual({
      kind: "unreachable",
      reason: t.admitted,
      otherDevice: true,
    });
    expect(await t.perform(sampleSale())).toEqual({
      kind: "refused",
      refusal: { code: "device-refused", device: { code: "other-device", words: t.admitted } },
    });
    expect(t.calls.every((call) => call.do === "identity")).toBe(true);
  });

  it("is identified once for each connection", async () => {
    const t = new PlayedTunnel();
    const asked = () => t.calls.filter((call) => call.do === "identity").length;
    for (let count = 0; count < 3; count += 1) await t.register.inspect(deadlineIn(t.clock, 1_000));
    expect(asked()).toBe(1);
    t.epoch = 2;
    await t.register.inspect(deadlineIn(t.clock, 1_000));
    expect(asked()).toBe(2);
  });

  it("names the record that its state belongs to", async () => {
    const t = new PlayedTunnel();
    expect(await t.register.inspect(deadlineIn(t.clock, 1_000))).toMatchObject({ kind: "reached", value: { record: "folder-1" } });
  });
});
