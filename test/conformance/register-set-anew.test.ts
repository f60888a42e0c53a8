import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import type { StoreRules } from "../../src/operations/services.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { listenTcp } from "../../src/registers/links/tcp.ts";
import type { ParsedAddress, RegisterProtocol } from "../../src/registers/protocol.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Register } from "../../src/registers/register.ts";
import type { ShtrihFront } from "../../src/registers/shtrih-m/device/front.ts";
import { openShtrihDevice } from "../../src/registers/shtrih-m/device/open.ts";
import { ShtrihRegister } from "../../src/registers/shtrih-m/register.ts";
import { parseShtrih } from "../../src/registers/shtrih-m/session/address.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import { describeLink, SERIAL } from "../support/links.ts";
import { MemoryPort } from "../support/memory-link.ts";
import { receiptDocument, shiftDocument } from "../support/register-documents.ts";
import { MORNING_MS, refusalCode, sameChance, temporaryFolder, ZONE } from "../support/registers.ts";
import { shtrihDevice } from "../support/shtrih-m-bench.ts";
import { PluggedDevice } from "../support/shtrih-m-plugged-device.ts";
import { Till, textOf } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const PLACE = "shtrih-m+tcp://127.0.0.1:7778";

/** Two values of each option of an address, and whether the register must be opened anew after the change. */
const OPTIONS: Record<string, { values: [string, string]; anew: boolean }> = {
  protocol: { values: ["1.0", "2.0"], anew: true },
  operatorPassword: { values: ["1", "29"], anew: true },
  systemPassword: { values: ["30", "99"], anew: true },
  timeoutMs: { values: ["3000", "100"], anew: true },
  print: { values: ["paper", "none"], anew: true },
  drive: { values: ["matching", "any"], anew: false },
  baud: { values: ["9600", "115200"], anew: true },
};

function addressOf(text: string) {
  const parsed = parseAddress(text);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  return parsed.address;
}

describe("what a register is opened with", () => {
  it.each(Object.entries(OPTIONS))(
    "differs with %s as far as the register has to be opened anew for it, and its lane never does",
    (name, { values, anew }) => {
      const place = name === "baud" ? "shtrih-m+serial:/dev/ttyUSB0" : PLACE;
      const [one, other] = values.map((value) => addressOf(`${place}?${name}=${value}`));
      expect(one?.canonical).toBe(other?.canonical);
      expect(one?.settings !== other?.settings).toBe(anew);
      expect(addressOf(`${place}?${name}=${values[0]}`).settings).toBe(one?.settings);
    },
  );

  it("has no other options than these, and two names of one place are none", () => {
    const known = parseAddress("shtrih-m+serial:/dev/ttyUSB0?nothing=1");
    const names = Array.from((known.kind === "invalid" ? known.problem : "").matchAll(/[ ,](\w+)=/g), ([, name]) => name);
    expect(names.toSorted()).toEqual(Object.keys(OPTIONS).toSorted());
    expect(addressOf("shtrih-m+tcp://localhost:7778").settings).toBe(addressOf(PLACE).settings);
  });
});

/** A rack with one register that reports its events. */
function told(): { rack: Rack; at(settings: string, zone?: string): Register; events: string[] } {
  const events: string[] = [];
  const clock = new VirtualClock(MORNING_MS);
  const registerOf = (settings: string, zone: () => string): Register => {
    events.push(`open ${settings}`);
    const ask = async () => {
      events.push(`ask ${settings} ${zone()}`);
      return { kind: "unreachable", reason: settings } as const;
    };
    return {
      identity: ask,
      inspect: ask,
      abandon: ask,
      lookUp: ask,
      perform: async () => ({ kind: "in-doubt", doubt: { code: "no-answer", reason: (await ask()).reason } }),
      async close() {
        events.push(`close ${settings}`);
        if (settings === "stuck") throw new Error("the port is gone");
      },
    };
  };
  const parse = (text: string): ParsedAddress => {
    const settings = text.replace("told:", "");
    const place = { canonical: "told", settings, emulated: false, anyDrive: false, lineSums: "within-kopeck" } as const;
    const examine = async () => ({ kind: "unreachable", reason: "" }) as const;
    return { kind: "address", address: { ...place, limitOf: () => undefined, open: ({ zone }) => registerOf(settings, zone), examine } };
  };
  const protocol: RegisterProtocol = { schemes: ["told"], form: "told:SETTINGS", forms: [], parse };
  const rack = new Rack({ clock, chance: sameChance, dataDir: "", note: (_level, text) => events.push(text) }, [protocol]);
  return { rack, at: (settings, zone = ZONE) => rack.at(`told:${settings}`, zone), events };
}

const never: Deadline = { atMs: 0, remainingMs: () => 0 };

describe("a register that is set anew", () => {
  it("is the same object as long as nothing is changed, and is opened once", async () => {
    const { at, events } = told();
    const first = at("a");
    expect(at("a")).toBe(first);
    await first.inspect(never);
    await at("a").inspect(never);
    expect(events).toEqual(["open a", `ask a ${ZONE}`, `ask a ${ZONE}`]);
  });

  it("is closed before it is opened anew, at the first call and not before: a turn that goes on keeps it", async () => {
    const { at, events } = told();
    const before = at("a");
    await before.inspect(never);
    const after = at("b");
    await before.lookUp(1, never);
    await after.inspect(never);
    await before.lookUp(2, never);
    expect(events).toEqual(["open a", `ask a ${ZONE}`, `ask a ${ZONE}`, "close a", "open b", `ask b ${ZONE}`, `ask b ${ZONE}`]);
  });

  it("passes over what was set and taken back before anybody used it", async () => {
    const { at, events } = told();
    await at("a").inspect(never);
    at("b");
    await at("a").inspect(never);
    expect(events).toEqual(["open a", `ask a ${ZONE}`, `ask a ${ZONE}`]);
  });

  it("has its zone at the next call, and is not opened anew for that", async () => {
    const { at, rack, events } = told();
    await at("a", "Europe/Moscow").inspect(never);
    await at("a", "Asia/Omsk").inspect(never);
    expect(events).toEqual(["open a", "ask a Europe/Moscow", "ask a Asia/Omsk"]);
    await rack.close();
    expect(events.at(-1)).toBe("close a");
  });

  it("is looked after as it is set now while it is silent, and by whoever has no settings for it", async () => {
    const { at, rack, events } = told();
    await at("a").inspect(never);
    at("b");
    await rack.silent()[0]?.register.inspect(never);
    await rack.again("told", ZONE).inspect(never);
    expect(events.slice(2)).toEqual(["close a", "open b", `ask b ${ZONE}`, `ask b ${ZONE}`]);
  });

  it("goes on where the register before does not close", async () => {
    const { at, events } = told();
    await at("stuck").inspect(never);
    await at("b").inspect(never);
    expect(events.slice(2)).toEqual(["close stuck", "a register that was set anew could not be closed", "open b", `ask b ${ZONE}`]);
  });
});

describe("an emulator whose point of sale is set to another zone", () => {
  it("shows its time at the next look, and the server compares it there", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const rack = new Rack({ clock, chance: sameChance, dataDir: await temporaryFolder(), note() {} });
    onTestFinished(() => rack.close());
    const look = async (zone: string, known: boolean) => {
      await rack.at("emulator:one", zone, known).inspect(deadlineIn(clock, 10_000));
      return rack.seen()[0]?.clock;
    };
    expect(await look("Europe/Moscow", false)).toMatchObject({
      device: "2026-11-13 09:00:00",
      ours: "2026-11-13 09:00:00",
      zoneKnown: false,
    });
    expect(await look("Asia/Omsk", true)).toMatchObject({ device: "2026-11-13 12:00:00", ours: "2026-11-13 12:00:00", zoneKnown: true });
  });

  it("keeps its zone, and whether the zone is a default, when somebody asks at an address that is not saved", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const rack = new Rack({ clock, chance: sameChance, dataDir: await temporaryFolder(), note() {} });
    onTestFinished(() => rack.close());
    const soon = deadlineIn(clock, 10_000);
    for (const [zone, known, ours] of [
      ["Asia/Omsk", true, "2026-11-13 12:00:00"],
      ["Europe/Moscow", false, "2026-11-13 09:00:00"],
    ] as const) {
      await rack.at("emulator:one", zone, known).inspect(soon);
      await rack.visit("emulator:one?drive=any", "Asia/Vladivostok", (register) => register.inspect(soon));
      expect(rack.seen()[0]?.clock).toMatchObject({ device: ours, ours, zoneKnown: known });
    }
  });
});

describe("an option that is changed on a register at work", () => {
  let clock: VirtualClock;
  let front: ShtrihFront;
  let paper: string[];
  /** Whether sent bytes are accepted by nobody. */
  let deaf: boolean;
  let rack: Rack;

  beforeEach(async () => {
    clock = new VirtualClock(MORNING_MS);
    paper = [];
    deaf = false;
    ({ front } = await shtrihDevice(clock, { paper }));
    const port = new MemoryPort({ clock }, (far) => void (deaf ? far : front.serve(far)));
    // The protocol's own address and register, with a cable in memory between them.
    const parse = (text: string): ParsedAddress => {
      const [parsed, read] = [parseAddress(text), parseShtrih(text)];
      if (parsed.kind === "invalid" || read.kind === "invalid") return parsed as ParsedAddress & { kind: "invalid" };
      const { passwords, protocol, acknowledgeMs, print } = read.address;
      const { ambiguous: _, ...address } = parsed.address;
      const open = () =>
        new ShtrihRegister(new Connection({ link: port.link(), clock, passwords, protocol, acknowledgeMs, note() {} }), print);
      return { kind: "address", address: { ...address, open } };
    };
    rack = new Rack({ clock, chance: sameChance, dataDir: "", note() {} }, [{ schemes: ["shtrih-m+tcp"], form: "", forms: [], parse }]);
  });

  async function settled<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    void work.finally(() => {
      ended = true;
    });
    for (let turns = 0; !ended; turns += 1) await clock.advance(turns < 50 ? 0 : 50);
    return work;
  }

  const inspect = async (options: string) => {
    const asked = await settled(rack.at(`${PLACE}?${options}`, ZONE).inspect(deadlineIn(clock, 20_000)));
    return asked.kind === "reached" ? "reached" : asked.reason;
  };
  const perform = async (options: string, document: RegisterDocument = receiptDocument()) =>
    refusalCode(await settled(rack.at(`${PLACE}?${options}`, ZONE).perform(document, deadlineIn(clock, 60_000))));

  it("counts at the next call: systemPassword", async () => {
    expect(await inspect("systemPassword=99")).toContain("пароль");
    expect(await inspect("systemPassword=30")).toBe("reached");
    expect(await inspect("systemPassword=99")).toContain("пароль");
  });

  it("counts at the next call: operatorPassword", async () => {
    await perform("", shiftDocument("open-shift"));
    expect(await perform("operatorPassword=77")).toBe("device-refused");
    expect(await perform("operatorPassword=1")).toBe("done");
    expect(await perform("operatorPassword=77")).toBe("device-refused");
  });

  it("counts at the next call: protocol", async () => {
    ({ front } = await shtrihDevice(clock, { paper, device: "2.0" }));
    expect(await inspect("protocol=1.0&timeoutMs=100")).not.toBe("reached");
    expect(await inspect("protocol=2.0&timeoutMs=100")).toBe("reached");
  });

  it("counts at the next call: timeoutMs", async () => {
    deaf = true;
    const givenUpAfter = async (timeoutMs: number) => {
      const sinceMs = clock.monotonicMs();
      expect(await inspect(`timeoutMs=${timeoutMs}`)).not.toBe("reached");
      return clock.monotonicMs() - sinceMs;
    };
    const [short, long, again] = [await givenUpAfter(100), await givenUpAfter(1_500), await givenUpAfter(100)];
    expect(long).toBeGreaterThan(short + 1_500);
    expect(again).toBe(short);
  });

  it("counts at the next call: print", async () => {
    await perform("print=paper", shiftDocument("open-shift"));
    expect(await perform("print=paper")).toBe("done");
    const printed = paper.length;
    expect(printed).toBeGreaterThan(0);
    expect(await perform("print=none")).toBe("done");
    expect(paper).toHaveLength(printed);
    expect(await perform("print=paper")).toBe("done");
    expect(paper.length).toBeGreaterThan(printed);
  });

  it("counts from the next operation: drive", async () => {
    const rules: Partial<StoreRules> = { register: "emulator:one" };
    const till = await Till.open({ rules, drives: "live" });
    expect(textOf(await till.openShift())).toBe("drive-kind-mixed");
    rules.register = "emulator:one?drive=any";
    expect(textOf(await till.openShift())).toMatch(/^open-shift/);
  });
});

describe("passwords that are changed while a register over TCP is at work", () => {
  it("count for the next operation; the one that is under way ends first, and the device never has two connections", async () => {
    const device = await openShtrihDevice({ clock: systemClock, chance: systemChance, zone: ZONE, printMs: 150 });
    let [open, most] = [0, 0];
    const listener = await listenTcp({ host: "127.0.0.1", port: 0 }, systemClock, (far) => {
      open += 1;
      most = Math.max(most, open);
      void device.front.serve(far).then(() => {
        open -= 1;
      });
    });
    const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: await temporaryFolder(), note() {} });
    onTestFinished(async () => {
      await rack.close();
      await listener.close();
      await device.close();
    });
    const address = `shtrih-m+tcp://127.0.0.1:${listener.place.port}`;
    const lanes = new Lanes();
    const turn = (options: string, document: RegisterDocument = receiptDocument()) => {
      const register = rack.at(`${address}?${options}`, ZONE);
      const place = lanes.enter(address, async () => {
        await register.inspect(deadlineIn(systemClock, 10_000));
        return refusalCode(await register.perform(document, deadlineIn(systemClock, 10_000)));
      });
      if (place.kind === "full") throw new Error("full");
      return place.result;
    };
    const turns = [
      turn("operatorPassword=1", shiftDocument("open-shift")),
      turn("operatorPassword=1"),
      turn("operatorPassword=77"),
      turn("operatorPassword=2&timeoutMs=2000"),
    ];
    expect(await Promise.all(turns)).toEqual(["done", "done", "device-refused", "done"]);
    expect([most, (await device.front.documents()).length]).toEqual([1, 4]);
  });
});

describeLink("options that are changed while a register on a serial line is at work", SERIAL, () => {
  it("count for the next call, the speed of the line among them, and the port is opened anew", async () => {
    const device = await PluggedDevice.open();
    const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir: await temporaryFolder(), note() {} });
    onTestFinished(() => rack.close());
    const on = (options: string) => rack.at(`shtrih-m+serial:${device.path}?protocol=1.0&${options}`, ZONE);
    const soon = () => deadlineIn(systemClock, 20_000);
    expect(await on("baud=115200").inspect(soon())).toMatchObject({ kind: "reached" });
    expect(await on("baud=9600").inspect(soon())).toMatchObject({ kind: "reached" });
    expect(await on("baud=9600&systemPassword=99").inspect(soon())).toMatchObject({ reason: expect.stringContaining("пароль") });
    expect(refusalCode(await on("baud=9600").perform(shiftDocument("open-shift"), soon()))).toBe("done");
  });
});
