import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LIFE_MS, makeAuthority } from "../../src/tools/sandbox/api/listening/certificate.ts";
import { keptAuthority } from "../../src/tools/sandbox/api/listening/kept-authority.ts";
import { rawRequest } from "../support/raw-request.ts";
import { temporaryFolder } from "../support/registers.ts";
import { type TestSandbox, testSandbox } from "../support/sandbox.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

let data: string;
let file: string;
beforeEach(async () => {
  data = await temporaryFolder();
  file = join(data, "authority.pem");
});

async function start(options: Parameters<typeof testSandbox>[0] = {}): Promise<TestSandbox> {
  const sandbox = await testSandbox({ data, tls: true, ...options });
  onTestFinished(() => sandbox.close().catch(() => undefined));
  return sandbox;
}

/** The status of the sandbox's answer to a client that trusts only this authority. Rejects when the client does not trust the sandbox. */
async function asked(sandbox: TestSandbox, ca: string | undefined): Promise<number> {
  const headers = { authorization: `Bearer ${sandbox.token}`, "accept-encoding": "gzip" };
  return (await rawRequest("GET", `${sandbox.api}/entity/product?limit=1`, headers, undefined, ca)).status;
}

it("a sandbox whose certificate cannot be written for others says so, and leaves its folder to the next one", async () => {
  mkdirSync(join(data, "ca.pem"));
  const { sandboxCommand } = await import("../../src/cli/sandbox.ts");
  const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
  const line = ["--data", data, "--tls", "--admin", "admin@shop:secret", "--employee", "seller@shop:secret"];
  await expect(sandboxCommand.run(line, io)).rejects.toThrow(/^the certificate of --tls cannot be written: EISDIR/);
  const next = await testSandbox({ data, seed: undefined, token: undefined });
  await next.close();
});

describe("the authority of a sandbox's folder", () => {
  it("is trusted once: a restart has another certificate of the same authority, with other names too", async () => {
    const first = await start();
    const { ca } = first;
    expect(await asked(first, ca)).toBe(200);
    await first.close();
    for (const publicUrl of [undefined, "https://api.example.org"]) {
      const next = await start({ publicUrl });
      expect(next.ca).toBe(ca);
      expect(await asked(next, ca)).toBe(200);
      await next.close();
    }
  });

  it("lies in a file of this user alone, whatever stood there before", async () => {
    writeFileSync(`${file}.new`, "half");
    chmodSync(`${file}.new`, 0o644);
    await (await start()).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is another in another folder and at each start in memory", async () => {
    const first = await start();
    const others = [await start({ data: await temporaryFolder() }), await start({ data: undefined })];
    for (const other of others) await expect(asked(other, first.ca)).rejects.toThrow();
  });

  it("makes place for a new one in time: no certificate outlives its authority", async () => {
    const day = 24 * 3_600_000;
    const bornMs = Date.UTC(2026, 2, 5, 9);
    const first = await keptAuthority(data, new VirtualClock(bornMs));
    const lastMs = Date.parse(new X509Certificate(first.cert).validTo) - LIFE_MS;
    expect(lastMs).toBeGreaterThan(bornMs + 5 * LIFE_MS);
    expect(await keptAuthority(data, new VirtualClock(lastMs))).toEqual(first);
    for (const nowMs of [lastMs + day, bornMs - 2 * day]) {
      expect((await keptAuthority(data, new VirtualClock(nowMs))).cert).not.toBe(first.cert);
    }
  });

  it("that cannot be read is refused in one line, left as it is, and the folder is free", async () => {
    const first = await start();
    await first.close();
    const text = readFileSync(file, "utf8");
    const cert = text.slice(0, text.indexOf("-----BEGIN RSA"));
    const { key } = await makeAuthority(new VirtualClock(0));
    // The last one has a valid key that belongs to another authority.
    for (const damaged of ["", text.slice(0, 400), text.slice(0, -40), cert, text.replace("A", "\u0000"), cert + key]) {
      writeFileSync(file, damaged);
      await expect(start()).rejects.toThrow(/^\S+authority\.pem holds no authority [^\n]+$/);
      expect(readFileSync(file, "utf8")).toBe(damaged);
    }
    writeFileSync(file, text);
    expect((await start()).ca).toBe(first.ca);
  });
});
