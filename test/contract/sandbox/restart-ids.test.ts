import { expect, it, onTestFinished } from "vitest";
import { Receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/registers.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const MORNING = Date.UTC(2026, 2, 5, 9);
/** Longer than a task waits for its turn. */
const TURN_MS = 1_000;
const STARTS = 3;

async function receiving(): Promise<Receiver> {
  const receiver = await Receiver.open();
  onTestFinished(() => receiver.close());
  return receiver;
}

async function opened(clock: VirtualClock, data: string | undefined): Promise<TestSandbox> {
  const sandbox = await testSandbox({ clock, data, seed: 1 });
  onTestFinished(() => sandbox.close().catch(() => undefined));
  return sandbox;
}

/** Makes a product and returns its id. */
async function product(sandbox: TestSandbox, name: string): Promise<string> {
  return String((await sandbox.call("POST", "entity/product", { name })).at("id"));
}

function watching(sandbox: TestSandbox, { url }: Receiver): Promise<unknown> {
  return sandbox.call("POST", "entity/webhook", { url, action: "CREATE", entityType: "product" });
}

/** The ids of a task and of the link to its result. */
async function taskIds(sandbox: TestSandbox, clock: VirtualClock): Promise<readonly string[]> {
  const status = String((await sandbox.call("GET", "report/stock/all?async=true")).headers.get("content-location"));
  await clock.advance(TURN_MS);
  await expect.poll(async () => (await sandbox.call("GET", status)).at("state")).toBe("DONE");
  const link = await sandbox.call("GET", `${status}/result`);
  expect(link.status).toBe(302);
  return [lastStep(status), lastStep(String(link.headers.get("location")))];
}

function lastStep(address: string): string {
  return address.split("/").at(-1) ?? "";
}

it("ids of notifications, tasks and links never come again after a restart, and the seed's ids are those of an account without one", async () => {
  const clock = new VirtualClock(MORNING);
  const data = await temporaryFolder();
  const receiver = await receiving();
  const passing: string[] = [];
  const products: string[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const sandbox = await opened(clock, data);
    if (start === 0) await watching(sandbox, receiver);
    products.push(await product(sandbox, `Чай ${start}`));
    passing.push(...(await taskIds(sandbox, clock)));
    await receiver.until(start + 1);
    await sandbox.close();
  }
  for (const { path, body } of receiver.received) {
    passing.push(path.replace(/^.*requestId=/, ""));
    passing.push(lastStep((body as { auditContext: { meta: { href: string } } }).auditContext.meta.href));
  }
  expect(passing).toHaveLength(STARTS * 4);
  expect(new Set(passing).size).toBe(passing.length);
  expect(passing.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual([]);

  const memory = await opened(clock, undefined);
  await watching(memory, await receiving());
  const others: string[] = [];
  for (let each = 0; each < STARTS; each += 1) others.push(await product(memory, `Чай ${each}`));
  expect(products).toEqual(others);
});

it("in memory the seed decides the ids of notifications too", async () => {
  const paths: unknown[] = [];
  for (let start = 0; start < 2; start += 1) {
    const receiver = await receiving();
    const sandbox = await opened(new VirtualClock(MORNING), undefined);
    await watching(sandbox, receiver);
    await product(sandbox, "Чай");
    paths.push((await receiver.until(1)).map(({ path }) => path));
  }
  expect(paths[0]).toEqual(paths[1]);
});
