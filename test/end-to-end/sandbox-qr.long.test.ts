import { expect, it, onTestFinished } from "vitest";
import { FakeQr } from "../support/fake-qr.ts";
import { FakeSolution } from "../support/fake-solution.ts";
import { type SandboxProcess, startSandbox } from "../support/sandbox-process.ts";
import { temporaryFolder } from "../support/server-process.ts";

it("a payment by QR that a kill interrupts is asked for again, sold once and registered once", async () => {
  const solution = await FakeSolution.open();
  onTestFinished(() => solution.close());
  const qr = new FakeQr();
  solution.qr = qr.answer;
  const data = temporaryFolder();
  const start = async (): Promise<SandboxProcess> => {
    const sandbox = await startSandbox("--data", data, "--solution", solution.url, "--token-seconds", "30");
    onTestFinished(() => void sandbox.process.kill("SIGKILL"));
    qr.jwks = sandbox.jwks;
    qr.issuer = sandbox.issuer;
    return sandbox;
  };
  const ask = async ({ base }: SandboxProcess, path: string, body?: object): Promise<unknown> =>
    (await fetch(`${base}/sandbox/${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })).json();
  const stateOf = (sandbox: SandboxProcess, id: string) => ask(sandbox, `qr/${id}`);

  const first = await start();
  await expect.poll(() => ask(first, "solution"), { timeout: 60_000 }).toMatchObject({ status: "Activated" });
  const { operationId } = (await ask(first, "qr", { amount: 12_300, sale: true })) as { operationId: string };
  await expect.poll(() => stateOf(first, operationId), { timeout: 60_000 }).toMatchObject({ told: ["IN_PROGRESS"] });
  await first.end("SIGKILL");
  qr.states = ["IN_PROGRESS", "DONE"];

  const second = await start();
  await expect
    .poll(() => stateOf(second, operationId), { timeout: 60_000 })
    .toMatchObject({ step: "ended", status: "DONE", saleId: expect.any(String) });
  const { saleId } = (await stateOf(second, operationId)) as { saleId: string };
  const registered = { id: saleId, state: "registered" };
  await expect
    .poll(() => ask(second, "receipts"), { timeout: 60_000 })
    .toEqual(expect.arrayContaining([expect.objectContaining(registered)]));
  const sales = solution.fiscal().filter(({ path }) => path === "/fiscal/1/retaildemand");
  expect(sales.map(({ body }) => body.payments)).toEqual([{ cashSum: "0.00", cardSum: "0.00", qrSum: "123.00" }]);
  expect(qr.calls.filter(({ problem }) => problem !== undefined)).toEqual([]);
  expect(new Set(qr.calls.map(({ kid }) => kid)).size).toBe(1);
  expect(qr.calls.map(({ claims: { exp, iat } }) => Number(exp) - Number(iat))).toEqual(qr.calls.map(() => 30));
});
