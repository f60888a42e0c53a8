import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { InstallationKey } from "../../src/accounts/installation.ts";
import { MAX_DONE_KEPT, NOTIFICATIONS_KEPT_MS } from "../../src/accounts/shop/notification-work.ts";
import { MAX_WAITING_OBJECTS, type Notifications } from "../../src/accounts/shop/notifications.ts";
import { nextTurn } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { startChild } from "../support/child.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { EXTENT, extent } from "../support/extent.ts";
import { keptLog } from "../support/http-server.ts";
import { AskedReading, type Door, eventually, openNotifications, product } from "../support/notifications.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const MINUTE_MS = 60_000;

/** Closes the notifications without waiting: the clock is moved as fast as possible. */
async function ended(notifications: Notifications, clock: VirtualClock): Promise<void> {
  let closed = false;
  const closing = notifications.close().then(() => {
    closed = true;
  });
  await eventually(async () => {
    await clock.advance(100);
    return closed;
  });
  await closing;
}

for (const kind of TRIED_DATABASES) {
  describeDatabase("notifications of the platform", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    /** Another server with the same database, not started yet. */
    const open = (over = store, door: Door = over) => {
      const clock = new VirtualClock(NOW_MS);
      const reading = new AskedReading();
      const { log, lines } = keptLog();
      const opened = openNotifications(over, { clock, log, reading, door });
      onTestFinished(async () => {
        await ended(opened.notifications, clock);
        await over.db.deleteFrom("day_notifications").execute();
      });
      return { ...opened, clock, reading, lines };
    };
    const rowsOf = ({ accountId }: InstallationKey) =>
      store.db.selectFrom("day_notifications").selectAll().where("account_id", "=", accountId).orderBy("id").execute();
    const waitingOf = async (key: InstallationKey) => (await rowsOf(key)).filter((row) => row.done_at_ms === null).length;
    const allDone = (key: InstallationKey) => async () => (await waitingOf(key)) === 0;

    it("are on disk when they are taken, and read again at once", async () => {
      const { install, notifications, reading } = open();
      const key = await install();
      notifications.start();
      const taken = await notifications.take(key, "r-1", [product("tea"), { type: "uom", id: "kg", action: "CREATE" }]);
      expect(taken).toEqual({ kind: "stored", objects: 2, everything: false });
      expect(await rowsOf(key)).toMatchObject([{ request_id: "r-1", objects: 2, received_at_ms: NOW_MS }]);
      await eventually(allDone(key));
      expect(reading.of(key)).toEqual([[product("tea"), { type: "uom", id: "kg", action: "CREATE" }]]);
    });

    it("that repeat a request id are read once, before and after that was done; another installation's is its own", async () => {
      const { install, notifications, reading } = open();
      const [key, other] = [await install(), await install()];
      expect((await notifications.take(key, "r-1", [product("tea")])).kind).toBe("stored");
      expect((await notifications.take(key, "r-1", [product("tea")])).kind).toBe("repeated");
      notifications.start();
      await eventually(allDone(key));
      expect((await notifications.take(key, "r-1", [product("tea")])).kind).toBe("repeated");
      expect((await notifications.take(other, "r-1", [product("tea")])).kind).toBe("stored");
      await eventually(allDone(other));
      expect([reading.of(key), reading.of(other)]).toEqual([[[product("tea")]], [[product("tea")]]]);
    });

    it("whose repeats come at the same moment are stored once", async () => {
      const { install, notifications } = open();
      const key = await install();
      const taken = await Promise.all(Array.from({ length: 8 }, () => notifications.take(key, "r-1", [product("tea")])));
      expect(taken.map((each) => each.kind).toSorted()).toEqual([...Array.from({ length: 7 }, () => "repeated"), "stored"]);
      expect(await rowsOf(key)).toHaveLength(1);
    });

    it("are read oldest first, each object once with what was said of it last", async () => {
      const { install, notifications, reading } = open();
      const key = await install();
      await notifications.take(key, "r-1", [product("tea", "CREATE"), product("coffee"), product("coffee")]);
      await notifications.take(key, "r-2", [product("milk")]);
      await notifications.take(key, "r-3", [product("tea", "DELETE")]);
      notifications.start();
      await eventually(allDone(key));
      expect(reading.of(key)).toEqual([[product("tea", "DELETE"), product("coffee"), product("milk")]]);
    });

    it("that come while others are read are read afterwards, the same object too", async () => {
      const { install, notifications, reading } = open();
      const key = await install();
      const held = Promise.withResolvers<void>();
      reading.behave = () => held.promise;
      notifications.start();
      await notifications.take(key, "r-1", [product("tea")]);
      await eventually(() => reading.asked.length === 1);
      await notifications.take(key, "r-2", [product("tea")]);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      expect(reading.asked).toHaveLength(1);
      held.resolve();
      await eventually(allDone(key));
      expect(reading.of(key)).toEqual([[product("tea")], [product("tea")]]);
    });

    it("are worked off by the next start when the server ended before", async () => {
      const ended = open();
      const key = await ended.install();
      await ended.notifications.take(key, "r-1", [product("tea")]);
      const next = open(kind.shared ? await database.open() : store);
      next.notifications.start();
      await eventually(allDone(key));
      expect(next.reading.of(key)).toEqual([[product("tea")]]);
      expect((await next.notifications.take(key, "r-1", [product("tea")])).kind).toBe("repeated");
    });

    it.runIf(kind.shared)("are worked off by the next start when the server was killed in the middle of reading", async () => {
      const key = { accountId: `killed-${kind.kind}`, appId: "" };
      const child = startChild("notification-taker.ts", JSON.stringify(database.options), key.accountId);
      const said = [await child.lines.next(), await child.lines.next(), await child.lines.next()].map(({ value }) => value);
      expect(said.toSorted()).toEqual(["reading", "stored first", "stored second"]);
      await child.kill();
      const next = open();
      next.notifications.start();
      await eventually(allDone(key));
      expect(next.reading.of(key)).toEqual([[product("first"), product("second")]]);
    });

    describe("of an installation that is not active", () => {
      it.each(["suspended", "uninstalled"] as const)("are not even stored: %s", async (state) => {
        const { install, installations, notifications } = open();
        const key = await install();
        await installations.deactivate(key, state);
        expect(await notifications.take(key, "r-1", [product("tea")])).toEqual({ kind: "not-active" });
        expect(await rowsOf(key)).toEqual([]);
      });

      it("wait for Resume when they were stored before", async () => {
        const { install, installations, notifications, reading, clock } = open();
        const [key, other] = [await install(), await install()];
        await notifications.take(key, "r-1", [product("tea")]);
        await notifications.take(other, "r-1", [product("tea")]);
        await installations.deactivate(key, "suspended");
        notifications.start();
        await eventually(allDone(other));
        for (let round = 0; round < 20; round += 1) await clock.advance(MINUTE_MS);
        expect([reading.of(key), await waitingOf(key)]).toEqual([[], 1]);
        await installations.activate(key, {}, "active");
        await eventually(async () => {
          await clock.advance(1_000);
          return (await waitingOf(key)) === 0;
        });
        expect(reading.of(key)).toEqual([[product("tea")]]);
      });

      it.each(["fails", "ends"])("are read once more after Resume when the reading %s that ran at the suspension", async (how) => {
        const { install, installations, notifications, reading, clock, lines } = open();
        const key = await install();
        let suspended = false;
        reading.behave = async () => {
          if (reading.asked.length > 1) return;
          await installations.deactivate(key, "suspended");
          suspended = true;
          if (how === "fails") throw new Error("the token is revoked");
        };
        notifications.start();
        await notifications.take(key, "r-1", [product("tea")]);
        // The suspension must come before the activation below.
        await eventually(() => suspended);
        for (let round = 0; round < 20; round += 1) await clock.advance(MINUTE_MS);
        expect([reading.asked.length, await waitingOf(key), lines]).toEqual([1, 1, []]);
        await installations.activate(key, {}, "active");
        await eventually(async () => {
          await clock.advance(1_000);
          return (await waitingOf(key)) === 0;
        });
        expect(reading.of(key)).toEqual([[product("tea")], [product("tea")]]);
      });
    });

    describe("whose objects cannot be read", () => {
      it("are tried four times with growing pauses, then left to the hourly reading with one line; what came meanwhile is not", async () => {
        const { install, notifications, reading, clock, lines } = open();
        const key = await install();
        const tried: { atMs: number; ids: string[] }[] = [];
        reading.behave = async ({ what }) => {
          const ids = what === "everything" ? [what] : what.map(({ id }) => id);
          tried.push({ atMs: clock.monotonicMs(), ids });
          if (ids.includes("bad")) throw new Error("no such luck");
        };
        notifications.start();
        await notifications.take(key, "r-1", [product("bad"), product("tea")]);
        await eventually(() => tried.length === 1);
        await notifications.take(key, "r-2", [product("coffee")]);
        await eventually(async () => {
          await clock.advance(500);
          return (await waitingOf(key)) === 0;
        });
        const both = ["bad", "tea"];
        expect(tried.map(({ ids }) => ids)).toEqual([both, both, both, both, ["coffee"]]);
        const pauses = tried.slice(1, 4).map(({ atMs }, index) => atMs - (tried[index]?.atMs ?? 0));
        for (const [index, pauseMs] of [2_000, 10_000, 60_000].entries()) expect(pauses[index]).toBeGreaterThanOrEqual(pauseMs);
        const warnings = lines.filter(({ level }) => level === "warn");
        expect(warnings.map(({ values }) => values.tries)).toEqual([1, 2, 3, 4]);
        expect(warnings.at(-1)).toMatchObject({
          text: expect.stringContaining("hourly reading"),
          values: { error: "no such luck", ...key },
        });
      });

      it("hold up no other installation", async () => {
        const { install, notifications, reading } = open();
        const keys = [await install(), await install(), await install()];
        const [hanging, failing, fine] = keys;
        reading.behave = ({ key }) => {
          if (key.accountId === hanging?.accountId) return new Promise(() => {});
          return key.accountId === failing?.accountId ? Promise.reject(new Error("no")) : Promise.resolve();
        };
        for (const key of keys) await notifications.take(key, "r-1", [product("tea")]);
        notifications.start();
        await eventually(async () => fine !== undefined && (await waitingOf(fine)) === 0);
      });
    });

    it("that were read while the database takes nothing are read again when it does, and no oftener than every ten seconds", async () => {
      let broken = false;
      const door: Door = {
        read: (work) => store.read(work),
        commit: (work) => (broken ? Promise.reject(new Error("the disk is full")) : store.commit(work)),
      };
      const { install, notifications, reading, clock, lines } = open(store, door);
      const key = await install();
      const readAtMs: number[] = [];
      reading.behave = async () => {
        readAtMs.push(clock.monotonicMs());
        broken = readAtMs.length < 3;
      };
      await notifications.take(key, "r-1", [product("tea")]);
      notifications.start();
      await eventually(async () => {
        await clock.advance(500);
        return (await waitingOf(key)) === 0;
      });
      expect(readAtMs).toHaveLength(3);
      for (const [index, atMs] of readAtMs.slice(1).entries()) expect(atMs - (readAtMs[index] ?? 0)).toBeGreaterThanOrEqual(10_000);
      const failures = lines.filter(({ text }) => text === "stored notifications could not be worked off");
      expect(failures.map(({ level, values }) => [level, values.error])).toEqual(Array(2).fill(["error", "the disk is full"]));
    });

    it("of more installations than are worked on at once all have their turn", async () => {
      const { install, notifications, reading } = open();
      const keys: InstallationKey[] = [];
      for (let count = 0; count < 20; count += 1) keys.push(await install());
      const held = Promise.withResolvers<void>();
      reading.behave = () => held.promise;
      for (const key of keys) await notifications.take(key, "r-1", [product("tea")]);
      notifications.start();
      await eventually(() => reading.asked.length === 8);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      expect(reading.asked).toHaveLength(8);
      held.resolve();
      await eventually(async () => (await Promise.all(keys.map(waitingOf))).every((waiting) => waiting === 0));
      expect(keys.map((key) => reading.of(key))).toEqual(keys.map(() => [[product("tea")]]));
    });

    it("that are too many become one that says: read everything; none is lost, and repeats of all are known", async () => {
      const { install, notifications, reading, lines } = open();
      const key = await install();
      const half = Array.from({ length: MAX_WAITING_OBJECTS / 2 }, (_, index) => product(`p-${index}`));
      await notifications.take(key, "r-1", half);
      await notifications.take(key, "r-2", half);
      expect(await notifications.take(key, "r-3", [product("tea")])).toEqual({ kind: "stored", objects: 1, everything: true });
      expect(lines.map(({ level }) => level)).toEqual(["warn"]);
      expect((await rowsOf(key)).map((row) => [row.request_id, row.done_at_ms, row.events])).toEqual([
        ["r-1", NOW_MS, "[]"],
        ["r-2", NOW_MS, "[]"],
        ["r-3", null, null],
      ]);
      expect((await notifications.take(key, "r-4", [product("milk")])).kind).toBe("stored");
      for (const id of ["r-1", "r-2", "r-3", "r-4"]) expect((await notifications.take(key, id, half)).kind).toBe("repeated");
      notifications.start();
      await eventually(allDone(key));
      expect(reading.of(key)).toEqual(["everything"]);
    });

    it("that are too many by themselves say: read everything", async () => {
      const { install, notifications, reading } = open();
      const key = await install();
      const many = Array.from({ length: MAX_WAITING_OBJECTS + 1 }, (_, index) => product(`p-${index}`));
      await notifications.take(key, "r-1", many);
      notifications.start();
      await eventually(allDone(key));
      expect(reading.of(key)).toEqual(["everything"]);
    });

    // Each notification is a commit, and the bounds are reached at two thousand. A busy machine needs a minute for ten
    // thousand.
    const flood = kind.shared ? 2_400 : extent({ short: 2_400, long: 10_000 });
    // The code that keeps the table small is the same for all databases, so `npm test` floods only the fastest.
    it.runIf(EXTENT === "long" || !kind.shared)(
      `in a flood of ${flood} keep the table small, whoever works or not`,
      async () => {
        const { install, notifications, reading } = open();
        const key = await install();
        const other = await install();
        let most = 0;
        for (let sent = 0; sent < flood; sent += 200) {
          const ids = Array.from({ length: 200 }, (_, index) => `r-${sent + index}`);
          await Promise.all(ids.map((id) => notifications.take(key, id, [product(id)])));
          most = Math.max(most, (await rowsOf(key)).length);
        }
        // A few notifications at the same moment do not see one another, so the bounds may be exceeded by these.
        expect(most).toBeLessThanOrEqual(MAX_WAITING_OBJECTS + MAX_DONE_KEPT + 50);
        await notifications.take(other, "r-1", [product("tea")]);
        notifications.start();
        await eventually(allDone(key));
        await eventually(allDone(other));
        expect(reading.of(key)).toContain("everything");
        expect(reading.of(other)).toEqual([[product("tea")]]);
        expect((await rowsOf(key)).length).toBe(MAX_DONE_KEPT);
      },
      240_000,
    );

    it("are forgotten a day or two after their three days, and those that wait are not", async () => {
      const { install, installations, notifications, clock } = open();
      const [key, waiting] = [await install(), await install()];
      await notifications.take(key, "r-1", [product("tea")]);
      await notifications.take(waiting, "r-1", [product("tea")]);
      await installations.deactivate(waiting, "suspended");
      notifications.start();
      await eventually(allDone(key));
      await clock.advance(NOTIFICATIONS_KEPT_MS - 2 * 3_600_000);
      expect(await rowsOf(key)).toHaveLength(1);
      clock.jumpTo(clock.nowMs() + 2 * 86_400_000);
      await eventually(async () => {
        await clock.advance(MINUTE_MS);
        return (await rowsOf(key)).length === 0;
      });
      expect(await waitingOf(waiting)).toBe(1);
    });

    it("stay stored when the server is told to end, which does not wait for a reading that does not", async () => {
      const { install, notifications, reading, clock } = open();
      const key = await install();
      const signals: AbortSignal[] = [];
      reading.behave = (_asked, signal) => {
        signals.push(signal);
        return new Promise(() => {});
      };
      notifications.start();
      await notifications.take(key, "r-1", [product("tea")]);
      await eventually(() => signals.length === 1);
      await ended(notifications, clock);
      expect([signals[0]?.aborted, await waitingOf(key)]).toEqual([true, 1]);
      await notifications.take(key, "r-2", [product("tea")]);
      expect(reading.asked).toHaveLength(1);
    });
  });
}
