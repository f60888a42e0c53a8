import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { type Authority, makeAuthority, makeCertificate } from "../../src/tools/sandbox/api/listening/certificate.ts";
import { CODE, playServer } from "../support/agent-played-server.ts";
import { agentCommand, startAgent } from "../support/agent-process.ts";

const YEAR_MS = 365 * 86_400_000;

let authority: Authority;
let folder: string;
let ca: string;

beforeAll(async () => {
  authority = await makeAuthority(systemClock);
  folder = mkdtempSync(join(tmpdir(), "agent-way-"));
  ca = join(folder, "ca.pem");
  writeFileSync(ca, authority.cert);
});

async function server(options: { clock?: typeof systemClock; host?: string; port?: number } = {}) {
  const { clock = systemClock, host = "127.0.0.1", port = await freePort() } = options;
  const started = await playServer({ tls: await makeCertificate(clock, authority), host, port });
  onTestFinished(() => started.close());
  return started;
}

const yearsAgo = { ...systemClock, nowMs: () => systemClock.nowMs() - 2 * YEAR_MS };

describe("the way to the server", () => {
  it("is not taken with a wrong certificate, host or day, and one line names which", async () => {
    const good = await server();
    const expired = await server({ clock: yearsAgo });
    const elsewhere = await server({ host: "127.0.0.2" });
    const enrol = (address: string, ...more: string[]) =>
      agentCommand(["enrol", "--server", address, "--code", CODE, "--data", join(folder, "refused"), ...more]);
    expect(await enrol(good.address)).toMatchObject({ code: 1, err: expect.stringMatching(/^wrong certificate: .*\n$/) });
    expect(await enrol(elsewhere.address, "--ca", ca)).toMatchObject({ code: 1, err: expect.stringMatching(/^wrong host: .*\n$/) });
    expect(await enrol(expired.address, "--ca", ca)).toMatchObject({ code: 1, err: expect.stringMatching(/^wrong day: .*\n$/) });
    expect([good, expired, elsewhere].flatMap(({ enrolments }) => enrolments)).toEqual([]);
    const plain = await enrol("ws://192.0.2.1/agents");
    expect(plain).toMatchObject({ code: 2, err: expect.stringMatching(/^192\.0\.2\.1 is to be reached without TLS/) });
  });

  it("is tried for ever, with the reason told once", async () => {
    const good = await server();
    const data = join(folder, "running");
    await agentCommand(["enrol", "--server", good.address, "--code", CODE, "--data", data, "--ca", ca]);
    await good.close();
    const expired = await server({ clock: yearsAgo, port: good.port });
    const agent = startAgent(["run", "--data", data, "--ca", ca]);
    await agent.until(/wrong day/);
    const status = await agentCommand(["status", "--data", data, "--json"]);
    expect(JSON.parse(status.out)).toMatchObject({ connected: false, lastProblem: expect.stringMatching(/^wrong day/) });
    await expired.close();
    await server({ port: good.port });
    await agent.until(/wrong day[\s\S]*"reason":"(?!wrong day)/);
    expect(agent.err().match(/wrong day/g)).toHaveLength(1);
  });

  it("leads through the proxy of HTTPS_PROXY", async () => {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, client) => {
      asked.push(request.url ?? "");
      const { port } = new URL(`http://${request.url}`);
      const onwards = connect(Number(port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(onwards).pipe(client);
      });
      onwards.on("error", () => client.destroy());
      client.on("error", () => onwards.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const good = await server();
    // The agent passes this name on to the proxy and does not resolve it.
    const address = `wss://localhost:${good.port}/agents`;
    const data = join(folder, "proxied");
    const enrol = await agentCommand(["enrol", "--server", address, "--code", CODE, "--data", data, "--ca", ca], { env });
    expect(enrol).toMatchObject({ code: 0 });
    const agent = startAgent(["run", "--data", data, "--ca", ca], { env });
    await good.ready();
    await agent.until(/"connected"/);
    // The enrolment and the connection. A busy machine may need a second try of either.
    expect(asked.length).toBeGreaterThanOrEqual(2);
    expect(new Set(asked)).toEqual(new Set([`localhost:${good.port}`]));
  });
});
