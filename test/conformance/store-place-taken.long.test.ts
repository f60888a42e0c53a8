import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { shareSchema } from "../../src/store/schema-lock.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("a process whose connection for the lock was cut off", kind, () => {
    it("is told that it lost its lock, and not that the journal was overwritten, when another process has its place", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const line = await lineTo(database);
      const cutOff = await sharing(database, line.url);
      await change(cutOff.store);
      line.cut();
      await sql`select pg_terminate_backend(${cutOff.lock.sessionPid})`.execute(cutOff.store.db);
      const next = await sharing(database, addressOf(database).url);
      expect(next.lock.place.number).toBe(cutOff.lock.place.number);
      expect(cutOff.lost).toEqual([]);

      await expect(change(cutOff.store)).rejects.toMatchObject({ code: "database-failed", retrySafe: true });
      expect(cutOff.lost).toEqual([expect.stringContaining("another process has taken the place of this process")]);
      expect(cutOff.gone).toEqual([]);
      await change(next.store);
      expect([next.lost, next.gone]).toEqual([[], []]);
    });

    it("is told that the journal was overwritten when the place is still its own", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const one = await sharing(database, addressOf(database).url);
      await change(one.store);
      await sql`update commit_marks set token = token + 1 where slot > 0`.execute(one.store.db);
      await expect(change(one.store)).rejects.toMatchObject({ code: "database-gone" });
      expect(one.gone).toEqual([expect.stringContaining("was overwritten")]);
      expect(one.lost).toEqual([]);
    });
  });

type Store = Awaited<ReturnType<TestDatabase["open"]>>;

async function change(store: Store): Promise<void> {
  await store.commit((tx) => sql`update agent_server set start_number = 1`.execute(tx));
}

function addressOf({ options }: TestDatabase): { url: string; schema?: string } {
  if (options.kind !== "postgres") throw new Error("only PostgreSQL is shared");
  return options;
}

/** A process of a cluster, with its lock at the address and its other connections straight at the database. */
async function sharing(database: TestDatabase, url: string) {
  const [lost, gone]: [string[], string[]] = [[], []];
  const holder = { pid: 1, host: "host", since: "2026-11-30" };
  const lock = await shareSchema({ ...addressOf(database), url }, holder, { clock: systemClock, onLost: (reason) => lost.push(reason) });
  onTestFinished(() => lock.release());
  const store = await database.open({ held: new HeldFiles((reason) => gone.push(reason)), place: lock.place });
  await store.migrate();
  return { lock, store, lost, gone };
}

/** An address of the database. After the cut nobody there hears anything of the database, not even that it has ended the connection. */
async function lineTo(database: TestDatabase): Promise<{ url: string; cut(): void }> {
  const url = new URL(addressOf(database).url);
  const [host, port] = [url.hostname, Number(url.port || "5432")];
  const sockets: Socket[] = [];
  let isCut = false;
  const server = createServer((near) => {
    const far = connect({ host, port });
    near.pipe(far);
    far.on("data", (bytes) => {
      if (!isCut) near.write(bytes);
    });
    far.on("end", () => {
      if (!isCut) near.end();
    });
    for (const socket of [near, far]) socket.on("error", () => {});
    sockets.push(near, far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    isCut = true;
  };
  return { url: url.href, cut };
}
