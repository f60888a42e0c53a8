import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { takeLock } from "../../src/registers/links/locked.ts";
import { lockSocketName } from "../../src/registers/lock-socket.ts";
import { lockName } from "../../src/registers/name-lock.ts";

/** The id of the user without rights on Linux. */
const NOBODY = 65_534;
const HOLDER = join(import.meta.dirname, "../support/name-lock-holder.ts");

/** A process that locks the name, and the line that it has printed. */
async function holder(name: string, user?: number): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [HOLDER, name], {
    stdio: ["pipe", "pipe", "inherit"],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return { child, said: line.toString().trim() };
}

function someName(): string {
  return `shtrih-m+serial:/dev/ttyUSB0 ${systemChance.uuid()}`;
}

it("a register is locked for one process of the machine, named where it is refused, and free when that process was killed", async () => {
  const name = someName();
  const first = await holder(name);
  expect(first.said).toBe("held");
  const since = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";
  expect((await holder(name)).said).toMatch(new RegExp(`is in use by process ${first.child.pid} on [\\w.-]+ since ${since}$`));
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  const lock = await lockName(name, systemClock);
  await expect(lockName(name, systemClock)).rejects.toMatchObject({ code: "register-locked" });
  await lock.release();
  await (await lockName(name, systemClock)).release();
});

it.skipIf(process.getuid?.() !== 0)("a register is locked for processes of different users of the system, whoever came first", async () => {
  const [one, two] = [someName(), someName()];
  const [ofRoot, ofNobody] = [await holder(one), await holder(two, NOBODY)];
  expect([ofRoot.said, ofNobody.said]).toEqual(["held", "held"]);
  expect((await holder(one, NOBODY)).said).toContain(`is in use by process ${ofRoot.child.pid} on `);
  expect((await holder(two)).said).toContain(`is in use by process ${ofNobody.child.pid} on `);
});

it("a holder that says nothing, or something else, is a holder without a name", async () => {
  const notes: unknown[] = [];
  const says = ["", "x".repeat(100_000), "process 1 on <b>till</b> since ever", `process 1 on till since ${"1".repeat(5_000)}`];
  for (const text of says) {
    const name = someName();
    const server = await listening(name, text);
    const holders: string[] = [];
    const taken = await takeLock(
      { clock: systemClock, name, note: (...all) => void notes.push(all), taken: (who) => void holders.push(who) },
      {},
    );
    expect([taken, holders]).toEqual([{ kind: "taken", reason: "кассой управляет другая программа" }, ["another process"]]);
    server.close();
  }
  expect(notes).toHaveLength(says.length);
});

it("a holder that never answers is a holder after a second", async () => {
  const name = someName();
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(lockSocketName(`name ${name}`), resolve));
  onTestFinished(() => void server.close());
  await expect(lockName(name, systemClock)).rejects.toMatchObject({ message: `${name} is in use by another process` });
});

function listening(name: string, text: string): Promise<Server> {
  const server = createServer((caller) => caller.on("error", () => {}).end(text));
  return new Promise((resolve) => server.listen(lockSocketName(`name ${name}`), () => resolve(server)));
}
