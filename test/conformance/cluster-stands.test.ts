import { expect, it, onTestFinished } from "vitest";
import { composeCluster } from "../../src/app/cluster/compose-cluster.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LEASE_MS = 3_000;
const REGISTER = "shtrih-m+tcp://10.0.0.7:7778";

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("the holding under which an operation works", kind, () => {
    async function emptyDatabase() {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      return database;
    }

    /** `port`: the processes of one database have addresses of their own. */
    async function process({ database, port, store }: { database: TestDatabase; port: number; store: Store }) {
      const remembered: ((register: string) => boolean)[] = [];
      await store.migrate();
      const clock = new VirtualClock(0);
      const sessionUrl = new Secret(database.options.kind === "postgres" ? database.options.url : "");
      const parts = composeCluster({
        config: {
          secretKey: new Secret("a-key-of-this-test"),
          cluster: { url: `http://127.0.0.1:${port}`, leaseMs: LEASE_MS, sessionUrl },
        },
        store,
        session: {
          holder: { pid: 1, host: "host", since: "now" },
          place: { number: 0, mustBeHeld: async () => {} },
          sessionPid: 0,
          release: async () => {},
        },
        clock,
        chance: systemChance,
        log: silentLog,
        lanes: new Lanes(),
        rack: () => ({
          release: async () => {},
          letGo: async () => {},
          again: () => {
            throw new Error("no register is asked");
          },
        }),
        observer: () => undefined,
        journal: () => ({ rememberNewest: async (isHere) => void (isHere && remembered.push(isHere)) }),
        hub: () => ({
          follow: () => {},
          views: () => ({}),
          arrived: async () => {},
          here: [],
          sendOn: async () => {},
          leaveToOthers: () => {},
        }),
      });
      if (parts === undefined) throw new Error("the process is one of several");
      await parts.cluster.membership.join();
      return { clock, membership: parts.cluster.membership, held: parts.operations.held, remembered };
    }

    it("does not stand while the counter is raised too late, although no other process took the register, and stands again after", async () => {
      const database = await emptyDatabase();
      const { clock, membership, held } = await process({ database, port: 1, store: await database.open() });
      const holding = await held.enter(REGISTER);
      expect(holding?.stands()).toBe(true);
      await clock.advance((LEASE_MS * 2) / 3);
      expect(holding?.stands()).toBe(false);
      await membership.renewNow();
      expect(holding?.stands()).toBe(true);
    });

    it("lets the process remember the rows of the others once one of them has ended, and not those of its own registers", async () => {
      const database = await emptyDatabase();
      const store = await database.open();
      const [living, ended] = [await process({ database, port: 1, store }), await process({ database, port: 2, store })];
      await living.held.enter(REGISTER);
      await living.membership.readAnew();
      expect(living.remembered).toHaveLength(0);
      await ended.membership.close();
      await living.membership.readAnew();
      await living.membership.readAnew();
      expect(living.remembered.map((isHere) => [isHere(REGISTER), isHere("shtrih-m+tcp://10.0.0.8:7778")])).toEqual([[true, false]]);
    });
  });
