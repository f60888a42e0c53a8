import { expect, it, onTestFinished } from "vitest";
import { EndedSessions } from "../../src/accounts/ended-sessions.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { createSeal } from "../../src/security/seal.ts";
import { ConsoleSessions } from "../../src/web/console/session/session.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SESSION_MS = 9 * 3_600_000;

for (const kind of DATABASE_KINDS.filter(({ shared }) => shared))
  describeDatabase("a session of the console that was ended", kind, () => {
    /** Two processes on one database. The second one also stands for the first one after a restart. */
    async function processes(more: { keptRecords?: number } = {}) {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const clock = new VirtualClock(Date.UTC(2026, 10, 29, 9));
      const users = [{ login: "anna", passwordHash: new Secret("a hash") }];
      const seal = createSeal(new Secret("a key of this test"));
      const sessions = async () => {
        const store = await database.open();
        await store.migrate();
        return {
          store,
          sessions: new ConsoleSessions({ seal, clock, chance: systemChance, users, ended: new EndedSessions({ store, clock, ...more }) }),
        };
      };
      return { clock, one: await sessions(), other: await sessions() };
    }

    it("is ended at every process and after a restart, and no other session with it", async () => {
      const { one, other } = await processes();
      const [ended, going] = [one.sessions.begin("anna").text, one.sessions.begin("anna").text];
      expect(await other.sessions.open(ended)).toMatchObject({ login: "anna" });
      await one.sessions.end(ended);
      await one.sessions.end(ended);
      expect([await one.sessions.open(ended), await other.sessions.open(ended)]).toEqual([undefined, undefined]);
      expect(await other.sessions.open(going)).toMatchObject({ login: "anna" });
    });

    it("is forgotten when it has expired, and stays ended when the clock is set back then", async () => {
      const { clock, one } = await processes({ keptRecords: 0 });
      const records = () => one.store.read((db) => db.selectFrom("seen_tokens").selectAll().execute());
      const first = one.sessions.begin("anna").text;
      await one.sessions.end(first);
      await clock.advance(SESSION_MS + 1);
      const second = one.sessions.begin("anna").text;
      await one.sessions.end(second);
      await one.sessions.end(first);
      expect(await records()).toHaveLength(1);
      clock.jumpTo(clock.nowMs() - SESSION_MS);
      expect(await one.sessions.open(first)).toBeUndefined();
    });

    it("that was ended while the clock was ahead of its expiry stays ended when the clock is right again", async () => {
      const { clock, one, other } = await processes();
      const nowMs = clock.nowMs();
      const text = one.sessions.begin("anna").text;
      clock.jumpTo(nowMs + SESSION_MS + 1);
      await one.sessions.end(text);
      await other.sessions.end(text);
      clock.jumpTo(nowMs + 1_000);
      expect([await one.sessions.open(text), await other.sessions.open(text)]).toEqual([undefined, undefined]);
    });

    it("ends no session after it, although the clock was years ahead twice while others were ended", async () => {
      const { clock, one } = await processes();
      const nowMs = clock.nowMs();
      for (const years of [1, 2, 0]) {
        clock.jumpTo(nowMs + years * 365 * 24 * 3_600_000);
        await one.sessions.end(one.sessions.begin("anna").text);
      }
      expect(await one.sessions.open(one.sessions.begin("anna").text)).toMatchObject({ login: "anna" });
    });
  });
