import { expect, it, onTestFinished } from "vitest";
import { rawRequest } from "../support/raw-request.ts";
import { type SandboxProcess, startSandbox } from "../support/sandbox-process.ts";
import { serverProcess, temporaryFolder } from "../support/server-process.ts";

async function start(...args: string[]): Promise<SandboxProcess> {
  const sandbox = await startSandbox(...args);
  onTestFinished(() => void sandbox.process.kill("SIGKILL"));
  return sandbox;
}

/** Makes one request to the API or to the sandbox's own addresses. */
async function call(
  { base, token }: SandboxProcess,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip", "content-type": "application/json" };
  const url = path.startsWith("sandbox/") ? `${base}/${path}` : `${base}/api/remap/1.2/entity/${path}`;
  return rawRequest(method, url, headers, body === undefined ? undefined : JSON.stringify(body));
}

const at = (value: unknown, ...steps: (string | number)[]): unknown =>
  steps.reduce<unknown>((held, step) => (typeof held === "object" && held !== null ? Reflect.get(held, step) : undefined), value);

it("a sale created through the JSON API is registered once with its receipt, also when sandbox and server are killed on the way", async () => {
  const server = serverProcess(temporaryFolder());
  expect(await server.start()).toBe("listening");
  const data = temporaryFolder();
  const first = await start("--data", data, "--solution", server.base);
  await expect.poll(async () => at((await call(first, "GET", "sandbox/solution")).body, "status"), { timeout: 60_000 }).toBe("Activated");

  const one = async (type: string) => ({ meta: at((await call(first, "GET", `${type}?limit=1`)).body, "rows", 0, "meta") });
  const shift = await call(first, "POST", "retailshift", {
    organization: await one("organization"),
    retailStore: await one("retailstore"),
  });
  const body = {
    retailShift: { meta: at(shift.body, "meta") },
    positions: [{ assortment: await one("product"), quantity: 3, price: 5490, vat: 10, vatEnabled: true }],
  };
  const record = async (sandbox: SandboxProcess, id: unknown) =>
    (at((await call(sandbox, "GET", "sandbox/receipts")).body) as { id: unknown; state: string; fiscalDocNumber: string }[]).find(
      (each) => each.id === id,
    );

  const sale = await call(first, "POST", "retaildemand", body);
  expect(sale.status).toBe(200);
  await expect.poll(async () => (await record(first, at(sale.body, "id")))?.state, { timeout: 60_000 }).toBe("registered");
  expect((await record(first, at(sale.body, "id")))?.fiscalDocNumber).toBe("3");
  expect(at((await call(first, "GET", `retaildemand/${String(at(sale.body, "id"))}`)).body, "cheque")).toMatchObject({
    fiscalDocNumber: "3",
  });

  const torn = await call(first, "POST", "retaildemand", body);
  first.process.kill("SIGKILL");
  await server.kill();
  expect(await server.start()).toBe("listening");
  const second = await start("--data", data, "--solution", server.base);
  await expect.poll(async () => (await record(second, at(torn.body, "id")))?.state, { timeout: 60_000 }).toBe("registered");
  expect((await record(second, at(torn.body, "id")))?.fiscalDocNumber).toBe("4");
  const receipt = await fetch(`${second.base}/sandbox/receipts/${String(at(torn.body, "id"))}`);
  expect([receipt.status, receipt.headers.get("content-type")]).toEqual([200, "application/pdf"]);

  await call(second, "PUT", `retailshift/${String(at(shift.body, "id"))}`, { closeDate: "2099-01-01 00:00:00" });
  const closing = `${String(at(shift.body, "id"))}/close`;
  await expect.poll(async () => (await record(second, closing))?.fiscalDocNumber, { timeout: 60_000 }).toBe("5");
});
