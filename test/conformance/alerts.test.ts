import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOOK_MS } from "../../src/alerts/alerts.ts";
import type { Condition } from "../../src/alerts/condition.ts";
import type { Store } from "../../src/store/database.ts";
import { AlertDesk } from "../support/alert-desk.ts";
import { type AlertReceiver, alertReceiver, mailServer } from "../support/alert-takers.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const START_MS = Date.parse("2026-11-29T09:00:00Z");
const MINUTE_MS = 60_000;
const DOUBT: Condition = {
  kind: "doubt",
  subject: "31",
  place: { appId: "app", accountId: "account-1", storeId: "store-7" },
  register: "emulator:one",
  details: { about: "operation", id: 31, name: "00031" },
};

for (const kind of TRIED_DATABASES) {
  describeDatabase("alerts", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let clock: VirtualClock;
    let receiver: AlertReceiver;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());
    beforeEach(async () => {
      await store.commit((tx) => tx.deleteFrom("alerts").execute());
      clock = new VirtualClock(START_MS);
      receiver = await alertReceiver();
    });

    const process = (options: { channel?: string; email?: string; at?: Store; clock?: VirtualClock } = {}) => {
      const { channel = receiver.address, email, at = store } = options;
      return new AlertDesk({ store: at, clock: options.clock ?? clock, channel, email });
    };
    const told = () => receiver.taken.map(({ kind: what, state }) => `${what} ${state}`);
    /** Looks every minute while these conditions hold. */
    const looks = async (desk: AlertDesk, minutes: number, conditions: readonly Condition[] | undefined) => {
      desk.conditions = conditions;
      for (let minute = 0; minute < minutes; minute += 1) {
        await desk.alerts.look();
        await clock.advance(MINUTE_MS);
      }
    };

    it("tell once that a condition has begun, and once that it is over", async () => {
      const desk = process();
      await looks(desk, 5, [DOUBT]);
      await looks(desk, 5, []);
      expect(receiver.taken).toEqual([
        {
          at: "2026-11-29T09:00:00.000Z",
          kind: "doubt",
          state: "begins",
          account: "account-1",
          store: "store-7",
          register: "emulator:one",
          text: expect.stringContaining("«Пекарня»"),
        },
        expect.objectContaining({ at: "2026-11-29T09:05:00.000Z", state: "ends", text: expect.stringMatching(/^Закончилось: /) }),
      ]);
      expect(await desk.unsent()).toEqual([]);
    });

    it("tell of a condition that flickers once an hour", async () => {
      const desk = process();
      for (let time = 0; time < 4; time += 1) {
        await looks(desk, 1, [DOUBT]);
        await looks(desk, 1, []);
        await clock.advance(12 * MINUTE_MS);
      }
      expect(told()).toEqual(["doubt begins", "doubt ends"]);
      await clock.advance(4 * MINUTE_MS);
      await looks(desk, 3, [DOUBT]);
      expect(told()).toEqual(["doubt begins", "doubt ends", "doubt begins"]);
    });

    it("tell nothing twice after a restart, and after it what is over", async () => {
      await looks(process(), 2, [DOUBT]);
      const second = process();
      await looks(second, 2, [DOUBT]);
      // Nobody has asked the register since the start.
      await looks(second, 2, undefined);
      expect(told()).toEqual(["doubt begins"]);
      await looks(process(), 2, []);
      expect(told()).toEqual(["doubt begins", "doubt ends"]);
    });

    it("go on for all other conditions when the row of one cannot be read", async () => {
      const desk = process();
      await looks(desk, 1, [DOUBT]);
      await store.commit((tx) => tx.updateTable("alerts").set({ told: "x", owed: "begins" }).execute());
      const other = { ...DOUBT, subject: "32" };
      await looks(desk, 3, [DOUBT, other]);
      await looks(desk, 3, []);
      expect(told()).toEqual(["doubt begins", "doubt begins", "doubt ends"]);
      expect(desk.lines.filter(({ level }) => level === "error")).toEqual([
        {
          level: "error",
          text: "an alert cannot be read and is left as it is",
          values: { error: expect.stringMatching(/^Column told of row operator\/doubt\/31 in table alerts cannot be read/) },
        },
      ]);
    });

    it("are tried again with growing pauses when the channel answers 500, and shown meanwhile", async () => {
      receiver.status = 500;
      const desk = process();
      desk.conditions = [DOUBT];
      const attempts = () => desk.outcomes.length;
      const counted: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        await desk.alerts.look();
        counted.push(attempts());
        await clock.advance(15_000);
      }
      expect(counted).toEqual([1, 1, 2, 2, 2]);
      expect(await desk.unsent()).toMatchObject([
        {
          kind: "doubt",
          state: "begins",
          audience: "operator",
          accountId: "account-1",
          storeId: "store-7",
          sinceMs: START_MS,
          attempts: 2,
        },
      ]);
      const [unsent] = await desk.unsent();
      expect(unsent?.problem).toMatch(/^127\.0\.0\.1:\d+ answered 500$/);
      const line = desk.lines.findLast(({ level }) => level === "error");
      expect(line).toMatchObject({ text: "an alert could not be sent; it is tried again", values: { kind: "doubt", attempts: 2 } });
      expect(JSON.stringify([desk.lines, unsent])).not.toContain("of-the-operator");
      receiver.status = 200;
      await clock.advance(MINUTE_MS);
      await looks(desk, 1, [DOUBT]);
      expect(told()).toEqual(["doubt begins"]);
      expect(await desk.unsent()).toEqual([]);
    });

    it("come late, and in their order, when the channel refuses connections until all is over", async () => {
      await looks(process({ channel: "http://127.0.0.1:1/nobody" }), 4, [DOUBT]);
      const away = process({ channel: "http://127.0.0.1:1/nobody" });
      await looks(away, 4, []);
      expect(await away.unsent()).toMatchObject([{ state: "begins", problem: expect.stringContaining("127.0.0.1:1") }]);
      const back = process();
      await looks(back, 4, []);
      expect(receiver.taken.map(({ state, at }) => [state, at])).toEqual([
        ["begins", "2026-11-29T09:00:00.000Z"],
        ["ends", "2026-11-29T09:04:00.000Z"],
      ]);
    });

    it("try the next channel when the first one fails", async () => {
      await looks(process({ channel: `http://127.0.0.1:1/nobody,${receiver.address}` }), 2, [DOUBT]);
      expect(told()).toEqual(["doubt begins"]);
    });

    it("go to the owner by e-mail too, each with retries of its own", async () => {
      const mail = await mailServer();
      mail.works = false;
      const desk = process({ channel: `${receiver.address},smtp://${mail.host}?from=alerts@server.example`, email: "owner@shop.example" });
      await looks(desk, 1, [DOUBT]);
      expect([told(), mail.letters]).toEqual([["doubt begins"], []]);
      const [unsent] = await desk.unsent();
      expect(unsent).toMatchObject({ audience: "owner", attempts: 1, problem: expect.stringContaining("451") });
      expect(JSON.stringify([unsent, desk.lines])).not.toContain("owner@shop.example");
      mail.works = true;
      await looks(desk, 3, [DOUBT]);
      expect(mail.letters.map(({ recipients, subject }) => [recipients, subject])).toEqual([
        [["owner@shop.example"], "Неизвестно, пробит ли документ: «Пекарня»"],
      ]);
      await looks(desk, 2, []);
      expect(told()).toEqual(["doubt begins", "doubt ends"]);
      expect(mail.letters[1]?.subject).toBe("Закончилось: Неизвестно, пробит ли документ: «Пекарня»");
    });

    it("are followed for nobody who is not to be told", async () => {
      const mail = await mailServer();
      const desk = process({ channel: `smtp://${mail.host}?from=alerts@server.example` });
      await looks(desk, 2, [DOUBT]);
      expect(await store.read((db) => db.selectFrom("alerts").selectAll().execute())).toEqual([]);
    });

    it("of an owner who wants none any more end in silence", async () => {
      const mail = await mailServer();
      const desk = process({ channel: `smtp://${mail.host}?from=alerts@server.example`, email: "owner@shop.example" });
      await looks(desk, 2, [DOUBT]);
      desk.email = undefined;
      await looks(desk, 2, [DOUBT]);
      expect(mail.letters).toHaveLength(1);
      expect(await store.read((db) => db.selectFrom("alerts").selectAll().execute())).toEqual([]);
    });

    it("are not told as over to an owner who takes the address away and sets it again while the condition holds", async () => {
      const mail = await mailServer();
      const desk = process({ channel: `smtp://${mail.host}?from=alerts@server.example`, email: "owner@shop.example" });
      await looks(desk, 2, [DOUBT]);
      mail.works = false;
      desk.email = undefined;
      await looks(desk, 1, [DOUBT]);
      mail.works = true;
      desk.email = "owner@shop.example";
      await looks(desk, 2, [DOUBT]);
      expect(mail.letters.filter(({ subject }) => subject.startsWith("Закончилось"))).toEqual([]);
      expect(await store.read((db) => db.selectFrom("alerts").select(["stands", "told"]).execute())).toEqual([
        { stands: 1, told: "begins" },
      ]);
    });

    it("wait while the owner's settings cannot be read, and are then told as they are", async () => {
      const mail = await mailServer();
      const desk = process({ channel: `smtp://${mail.host}?from=alerts@server.example`, email: "owner@shop.example" });
      await looks(desk, 2, [DOUBT]);
      desk.isReadable = false;
      await looks(desk, 2, [DOUBT]);
      await looks(desk, 1, [DOUBT, { ...DOUBT, subject: "32" }]);
      expect([mail.letters.length, await desk.unsent()]).toEqual([1, []]);
      await looks(desk, 2, []);
      expect(await desk.unsent()).toMatchObject([{ state: "ends", problem: "the settings of the point of sale cannot be read" }]);
      desk.isReadable = true;
      await looks(desk, 2, []);
      expect(mail.letters.map(({ subject }) => subject)).toEqual([
        "Неизвестно, пробит ли документ: «Пекарня»",
        "Закончилось: Неизвестно, пробит ли документ: «Пекарня»",
      ]);
    });

    it("that the server cannot send to an owner are reported once, and not begun at every look", async () => {
      const desk = process({ email: "owner@shop.example" });
      await looks(desk, 5, [DOUBT]);
      expect(desk.lines.filter(({ level }) => level === "error")).toEqual([
        {
          level: "error",
          text: expect.stringContaining("an owner with alertEmail gets no alerts"),
          values: { accountId: "account-1", storeId: "store-7" },
        },
      ]);
      expect(desk.lines.filter(({ level }) => level === "warn").map(({ values }) => values)).toMatchObject([{ audience: "operator" }]);
    });

    it("leave nothing behind, an hour after all is over", async () => {
      const desk = process();
      await looks(desk, 2, [DOUBT]);
      await looks(desk, 1, []);
      await clock.advance(62 * MINUTE_MS);
      await looks(desk, 1, []);
      expect(await store.read((db) => db.selectFrom("alerts").selectAll().execute())).toEqual([]);
    });

    it("are looked at again and again until closed, also after a look that failed", async () => {
      let looked = 0;
      const find = async () => {
        looked += 1;
        if (looked === 1) throw new Error("the database is away");
        return { standing: [DOUBT], canTell: () => true };
      };
      const desk = new AlertDesk({ store, clock, channel: receiver.address, find });
      desk.alerts.start();
      const toldLater = async () => {
        await clock.advance(LOOK_MS);
        return told();
      };
      await expect.poll(toldLater, { interval: 5 }).toEqual(["doubt begins"]);
      expect(desk.lines).toContainEqual({
        level: "error",
        text: "alerts could not be looked at",
        values: { error: "the database is away" },
      });
      await desk.alerts.close();
      const before = looked;
      await clock.advance(10 * LOOK_MS);
      expect(looked).toBe(before);
    });

    describe.skipIf(!kind.shared)("of several processes", () => {
      it("are sent by one of them, whichever looks", async () => {
        const others = await Promise.all([database.open(), database.open()]);
        const desks = [store, ...others].map((at) => process({ at }));
        for (const conditions of [[DOUBT], [DOUBT], [], []]) {
          for (const desk of desks) desk.conditions = conditions;
          await Promise.all(desks.map((desk) => desk.alerts.look()));
          await clock.advance(MINUTE_MS);
        }
        expect(told()).toEqual(["doubt begins", "doubt ends"]);
      });

      it("are sent by another when the one that took the message has died, a minute later", async () => {
        const dead = process();
        dead.conditions = [DOUBT];
        receiver.status = 500;
        await dead.alerts.look();
        // The row between the moment at which a process has taken the message and the moment at which the outcome is
        // stored.
        const sending = { attempts: 0, problem: null, next_try_at_ms: clock.nowMs() + MINUTE_MS };
        await store.commit((tx) => tx.updateTable("alerts").set(sending).execute());
        const living = process({ at: await database.open() });
        living.conditions = [DOUBT];
        receiver.status = 200;
        await living.alerts.look();
        expect(told()).toEqual([]);
        await clock.advance(MINUTE_MS);
        await living.alerts.look();
        expect(told()).toEqual(["doubt begins"]);
      });
    });
  });
}
