import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { composeAccounts } from "../../src/app/accounts.ts";
import { type Application, compose } from "../../src/app/compose.ts";
import { DEVELOPMENT_CREDENTIAL, readConfig } from "../../src/app/config.ts";
import { CallKeys, PROOF_HEADER } from "../../src/cluster/call-proof.ts";
import { Cluster } from "../../src/cluster/cluster.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import { openStore } from "../../src/store/database.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { lookInto, ownDatabase } from "../simulation/cluster/shared-database.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { temporaryFolder } from "../support/server-process.ts";
import { TransactionPooler } from "../support/transaction-pooler.ts";

const SECRET_KEY = "a-key-of-this-test-alone";

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("a process that joins a cluster", kind, () => {
    const running: Application[] = [];
    afterEach(async () => {
      for (const one of running.splice(0)) await one.close();
    });

    /** Starts a server in this process. Rejects with the error that ends a start of the program with one line. */
    async function start(databaseUrl: string, environment: Record<string, string> = {}): Promise<string> {
      const config = readConfig({
        DATABASE_URL: databaseUrl,
        DATA_DIR: temporaryFolder(),
        PORT: "0",
        SECRET_KEY,
        PLATFORM_BASE_URL: "http://127.0.0.1:9",
        ...environment,
      });
      const application = await compose(config, silentLog, () => {});
      running.push(application);
      return await application.listen();
    }

    const address = async () => ({ CLUSTER_URL: `http://127.0.0.1:${await freePort()}` });

    it("is one of several, each with a place of its own", async () => {
      const database = await ownDatabase();
      await start(database, await address());
      await start(database, await address());
      const store = await lookInto(database);
      const { rows } = await sql`select state from cluster_processes`.execute(store.db);
      expect(rows).toEqual([{ state: "serving" }, { state: "serving" }]);
      const marks = await sql<{ slot: number }>`select slot from commit_marks order by slot`.execute(store.db);
      expect(marks.rows.map(({ slot }) => slot)).toEqual(Array.from({ length: 21 }, (_, at) => at));
    });

    it("stays ready when a newer program adds to the tables meanwhile, and an older one does not start then", async () => {
      const database = await ownDatabase();
      const base = await start(database, await address());
      const store = await lookInto(database);
      await sql`insert into schema_version (version, name, applied_at, pin) values (1000, 'of the future', 'now', 'pin')`.execute(store.db);
      await sql`create table of_the_future (id integer)`.execute(store.db);
      expect((await fetch(`${base}/ready`)).status).toBe(200);
      await expect(start(database, await address())).rejects.toThrow("The database has version 1000 and this program knows");
    });

    it("is refused with another lease, another key or the address of another", async () => {
      const database = await ownDatabase();
      const taken = await address();
      await start(database, taken);
      await expect(start(database, { ...(await address()), CLUSTER_LEASE_MS: "1000" })).rejects.toThrow(
        `CLUSTER_LEASE_MS expects 3000, as the process at ${taken.CLUSTER_URL} has it; it is 1000`,
      );
      await expect(start(database, { ...(await address()), SECRET_KEY: "the-key-of-somebody-else" })).rejects.toThrow(
        `SECRET_KEY expects the key of the process at ${taken.CLUSTER_URL}`,
      );
      await expect(start(database, taken)).rejects.toThrow("cannot listen on 127.0.0.1");
    });

    it("and a server that has the database alone shut each other out", async () => {
      const database = await ownDatabase();
      await start(database, { DEFAULT_REGISTER: "" });
      await expect(start(database, await address())).rejects.toThrow(/is in use by process \d+ on .*: stop that server first/);
      await running.pop()?.close();
      await start(database, await address());
      await expect(start(database, { DEFAULT_REGISTER: "" })).rejects.toThrow(/is in use by process \d+ on .*: stop that server first/);
    });

    it("is refused behind a pooler that changes the connection at each transaction", async () => {
      const database = await ownDatabase();
      const pooler = await TransactionPooler.start(database);
      onTestFinished(() => pooler.close());
      const refused = start(database, { ...(await address()), DATABASE_SESSION_URL: pooler.url });
      await expect(refused).rejects.toThrow("DATABASE_SESSION_URL leads to a pooler that changes the connection");
    });

    it("is refused when its connection for the lock leads to another schema, and harms no process that runs", async () => {
      const database = await ownDatabase();
      await start(database, await address());
      const refused = start(database, { ...(await address()), DATABASE_SESSION_URL: await ownDatabase() });
      await expect(refused).rejects.toThrow("DATABASE_SESSION_URL expects the database and the schema of DATABASE_URL");
      const store = await openStore({ kind: "postgres", url: database });
      onTestFinished(() => store.close());
      const { rows } = await sql`select state from cluster_processes`.execute(store.db);
      expect(rows).toEqual([{ state: "serving" }]);
    });

    it.each([
      ["register", "emulator:front", "CLUSTER_URL expects no emulator: address"],
      ["acquirer", "simulated?payAfterMs=5", "CLUSTER_URL expects no simulated acquirer"],
    ])("is refused while a point of sale has %s=%s", async (name, value, line) => {
      const database = await ownDatabase();
      const store = await openStore({ kind: "postgres", url: database });
      onTestFinished(() => store.close());
      await store.migrate();
      const key = { appId: DEVELOPMENT_CREDENTIAL.appId, accountId: "shop" };
      const nothing = { log: silentLog, clock: systemClock, chance: systemChance, parseRegister: parseAddress };
      const accounts = composeAccounts({ config: readConfig({ SECRET_KEY }), store, ...nothing });
      onTestFinished(() => accounts.close());
      await accounts.installations.activate(key, { accountName: "shop" }, "active");
      expect(await accounts.settings.set(key, "point", name, value)).toEqual({ kind: "set" });
      await expect(start(database, await address())).rejects.toThrow(
        `${line}, and the point of sale point of the account shop has ${value}`,
      );
    });

    it("is refused when its address leads to somebody else", async () => {
      const database = await ownDatabase();
      const store = await openStore({ kind: "postgres", url: database });
      onTestFinished(() => store.close());
      await store.migrate();
      const somebody = createServer((_request, response) => response.end("{}"));
      await new Promise<void>((resolve) => {
        somebody.listen(0, "127.0.0.1", resolve);
      });
      onTestFinished(() => void somebody.close());
      const url = `http://127.0.0.1:${(somebody.address() as AddressInfo).port}`;
      const observe = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };
      const keys = new CallKeys(new Secret(SECRET_KEY));
      const parts = { store, keys, url, observe, clock: systemClock, chance: systemChance, log: silentLog };
      const more = { leaseMs: 3_000, version: "1", sessionPid: 0, idle: async () => {}, release: async () => {}, letGo: async () => {} };
      const cluster = new Cluster({ ...parts, ...more });
      await expect(cluster.mustBeReachable()).rejects.toThrow(
        `CLUSTER_URL expects an address that leads to this process; at ${url}: status 200 without a proof`,
      );
    });

    it("answers 401 to whatever is not proved, on every path", async () => {
      const database = await ownDatabase();
      const { CLUSTER_URL: base } = await address();
      const served = await start(database, { CLUSTER_URL: base });
      const store = await lookInto(database);
      const { rows } = await sql<{ id: string }>`select id from cluster_processes`.execute(store.db);
      const id = rows[0]?.id ?? "";
      const keys = new CallKeys(new Secret(SECRET_KEY));
      const others = new CallKeys(new Secret("the-key-of-somebody-else"));
      const body = Buffer.from("{}");
      const path = "/internal/hello";
      const status = async (proof: string | undefined, to = path, bytes = body) => {
        const headers = proof === undefined ? {} : { [PROOF_HEADER]: proof };
        return (await fetch(base + to, { method: "POST", headers, body: new Uint8Array(bytes) })).status;
      };
      const head = { method: "POST", path, to: id, from: id, number: 100 };
      const proof = keys.prove(head, body);
      expect(await status(undefined)).toBe(401);
      expect(await status(undefined, "/metrics")).toBe(401);
      expect(await status("nonsense")).toBe(401);
      expect(await status(others.prove(head, body))).toBe(401);
      expect(await status(proof, "/internal/give")).toBe(401);
      expect(await status(proof, path, Buffer.from("[]"))).toBe(401);
      expect(await status(keys.prove({ ...head, to: "an-earlier-start" }, body))).toBe(401);
      expect(await status(keys.prove({ ...head, from: "nobody" }, body))).toBe(401);
      expect(await status(proof)).toBe(200);
      expect(await status(proof)).toBe(401);
      expect(await status(keys.prove({ ...head, number: 101 }, body))).toBe(200);
      expect((await fetch(served + path, { method: "POST" })).status).toBe(404);
    });
  });
}
