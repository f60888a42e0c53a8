import { describe, expect, it } from "vitest";
import { systemChance } from "../../../../../src/kernel/clock.ts";
import { Secret } from "../../../../../src/kernel/secret.ts";
import { createSeal } from "../../../../../src/security/seal.ts";
import { KnownBrowsers } from "../../../../../src/web/console/session/known-browsers.ts";
import { ConsoleUsers, type TrySource } from "../../../../../src/web/console/session/users.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const PASSWORD = "a password of twelve";
const CHECK_MS = 100;
const DAY_MS = 24 * 3_600_000;

function door() {
  const clock = new VirtualClock(0);
  // A hash of the real cost would take a tenth of a second for each of hundreds of tries.
  const checkPassword = async (password: Secret, hash: string) => hash === "of anna" && password.reveal() === PASSWORD;
  const users = new ConsoleUsers([{ login: "anna", passwordHash: new Secret("of anna") }], { clock, checkPassword });
  const enter = async (source: TrySource, password = PASSWORD) => {
    await clock.advance(CHECK_MS);
    return (await users.check("anna", new Secret(password), source)).kind;
  };
  /** Wrong tries, each from a network of its own. */
  const strangers = async (count: number, first = 0) => {
    const kinds: string[] = [];
    for (let number = first; number < first + count; number += 1) {
      await clock.advance(CHECK_MS);
      const tried = users.check("anna", new Secret("wrong"), { network: `network ${number}` });
      kinds.push(
        (
          await Promise.race([
            tried,
            clock
              .advance(0)
              .then(() => clock.advance(0))
              .then(() => ({ kind: "waits" })),
          ])
        ).kind,
      );
    }
    return kinds;
  };
  return { clock, users, enter, strangers };
}

describe("a login that strangers guess at", () => {
  it("stays open for its owner when one network has used up its tries", async () => {
    const { enter } = door();
    for (let number = 0; number < 10; number += 1) expect(await enter({ network: "theirs" }, "wrong")).toBe("wrong");
    expect(await enter({ network: "theirs" })).toBe("too-often");
    expect(await enter({ network: "of the owner" })).toBe("in");
  });

  it("becomes slow, and is not locked, when many networks guess", async () => {
    const { clock, users, strangers } = door();
    const kinds = await strangers(33);
    expect(kinds.filter((kind) => kind === "too-often")).toEqual([]);
    let entered: string | undefined;
    const tried = users.check("anna", new Secret(PASSWORD), { network: "of the owner" }).then(({ kind }) => {
      entered = kind;
    });
    await clock.advance(1_000);
    expect(entered).toBeUndefined();
    await clock.advance(30_000);
    await tried;
    expect(entered).toBe("in");
  });

  it("is not slow in a browser in which it has succeeded before, however many networks guess", async () => {
    const { enter, strangers } = door();
    const kinds = await strangers(60);
    expect(kinds.slice(-10)).toContain("too-often");
    expect(await enter({ network: "of the owner", browser: "known" })).toBe("in");
    expect(await enter({ network: "network 1", browser: "known" })).toBe("in");
  });

  it("can be tried ten times a minute at most, from however many networks", async () => {
    const { clock, users } = door();
    const before = 30;
    let checked = 0;
    for (let second = 0; second < 300; second += 1) {
      void users.check("anna", new Secret("wrong"), { network: `network ${second}` }).then(({ kind }) => {
        if (kind === "wrong") checked += 1;
      });
      await clock.advance(1_000);
    }
    expect(checked).toBeGreaterThan(before);
    expect(checked).toBeLessThanOrEqual(before + 5 * 10);
  });
});

describe("a browser in which a login has succeeded", () => {
  it("has ten wrong tries, and not those of its network on top", async () => {
    const { enter } = door();
    const source = { network: "of the owner", browser: "known" };
    for (let number = 0; number < 10; number += 1) expect(await enter(source, "wrong")).toBe("wrong");
    expect(await enter(source)).toBe("too-often");
    expect(await enter({ network: "another" })).toBe("in");
  });

  it("is known by its own text alone, for this login, for half a year", async () => {
    const clock = new VirtualClock(0);
    const seal = createSeal(new Secret("a key of this test"));
    const browsers = new KnownBrowsers({ seal, clock, chance: systemChance });
    const { text } = browsers.remember("anna");
    const id = browsers.idOf(text, "anna");
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(browsers.idOf(browsers.remember("anna", id).text, "anna")).toBe(id);
    const foreign = new KnownBrowsers({ seal: createSeal(new Secret("another key")), clock, chance: systemChance });
    const unknown = [
      "",
      "invented",
      `${text.slice(0, -8)}AAAAAAAA`,
      foreign.remember("anna").text,
      seal.seal('{"login":"anna"}', "pages/console/session"),
    ];
    expect(unknown.map((one) => browsers.idOf(one, "anna"))).toEqual(unknown.map(() => undefined));
    expect(browsers.idOf(text, "boris")).toBeUndefined();
    clock.jumpTo(181 * DAY_MS);
    expect(browsers.idOf(text, "anna")).toBeUndefined();
  });

  it("is forgotten when the clock was ahead at its login and is right again", () => {
    const clock = new VirtualClock(400 * DAY_MS);
    const browsers = new KnownBrowsers({ seal: createSeal(new Secret("a key of this test")), clock, chance: systemChance });
    const { text } = browsers.remember("anna");
    expect(browsers.idOf(text, "anna")).toBeDefined();
    clock.jumpTo(0);
    expect(browsers.idOf(text, "anna")).toBeUndefined();
  });
});

describe("many logins at once", () => {
  it("are checked one after another, those of known browsers beside the others, also when a check fails", async () => {
    let running = 0;
    let most = 0;
    let checks = 0;
    const checkPassword = async () => {
      checks += 1;
      const nth = checks;
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      running -= 1;
      if (nth === 2) throw new Error("no memory");
      return false;
    };
    const users = new ConsoleUsers([], { clock: new VirtualClock(0), checkPassword });
    const sources: TrySource[] = Array.from({ length: 8 }, (_, at) => ({ network: `network ${at}` }));
    const known: TrySource[] = sources.map((source, at) => ({ ...source, browser: `browser ${at}` }));
    const tries = [...sources, ...known].map((source, at) => users.check(`login ${at}`, new Secret("wrong"), source));
    const ends = await Promise.allSettled(tries);
    expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect([checks, most]).toEqual([16, 2]);
  });
});
