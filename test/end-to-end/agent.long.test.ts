import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { CODE, type Frame, playServer } from "../support/agent-played-server.ts";
import { agentCommand, startAgent } from "../support/agent-process.ts";
import { shiftDocument } from "../support/register-documents.ts";

async function enrolled() {
  const server = await playServer();
  onTestFinished(() => server.close());
  const data = join(mkdtempSync(join(tmpdir(), "agent-")), "data");
  const enrol = await agentCommand(["enrol", "--server", server.address, "--code", CODE, "--data", data]);
  expect(enrol).toMatchObject({ code: 0 });
  return { server, data };
}

const head = { register: "main", fence: 1, budgetMs: 20_000 };

describe("the agent's process", () => {
  it("enrols, dials out, and makes a document through a connection", async () => {
    const { server, data } = await enrolled();
    expect(server.enrolments[0]).toMatchObject({ code: CODE, version: expect.any(String), host: expect.any(String) });
    expect(statSync(join(data, "agent-key.pem")).mode & 0o777).toBe(0o600);
    const agent = startAgent(["run", "--data", data, "--register", "main=emulator:main"]);
    const connection = await server.ready();
    const [line] = await agent.until(/^\{"agent".*\}\n/);
    const registers = [{ name: "main", scheme: "emulator" }];
    expect(JSON.parse(line)).toEqual({ agent: "agent-1", server: "server-1", epoch: 1, registers });
    expect(connection.frames[0]).toMatchObject({ hello: { epoch: 0, protocol: [1, 1], registers } });

    const identity = await connection.call({ call: 1, do: "identity", ...head });
    expect(identity.result).toMatchObject({ kind: "reached", value: { driveNumber: expect.stringMatching(/^9999/) } });
    const state = await connection.call({ call: 2, do: "inspect", ...head });
    expect(state.result).toMatchObject({ kind: "reached", value: { shift: { kind: "closed" } } });
    const document = shiftDocument("open-shift");
    connection.send({ call: 3, do: "perform", ...head, attempt: "a-1", hash: "h-1", needs: [], document });
    await connection.frame((frame) => frame.accepted === 3);
    connection.send({ go: 3 });
    const answer = await connection.frame((frame) => frame.answer === 3);
    expect(answer.result).toMatchObject({ kind: "done", facts: { kind: "fiscal", document: "open-shift" } });
    const recalled = await connection.call({ call: 4, do: "recall", ...head, attempt: "a-1" });
    expect(recalled.result).toEqual({ kind: "outcome", outcome: answer.result });
    expect(await connection.call({ call: 5, do: "permit" })).toMatchObject({ failed: { code: "unknown-call" } });

    agent.child.kill("SIGTERM");
    expect(await agent.ended).toBe(0);
    expect(agent.out().trim().split("\n")).toHaveLength(1);
    expect((await connection.ended).code).toBe(1000);
  });

  it("refuses a used code, and a folder that is enrolled already", async () => {
    const { server, data } = await enrolled();
    const wrong = await agentCommand(["enrol", "--server", server.address, "--code", "used", "--data", `${data}-2`]);
    expect(wrong).toMatchObject({ code: 1, err: expect.stringMatching(/code is wrong, used or expired/) });
    const again = await agentCommand(["enrol", "--server", server.address, "--code", CODE, "--data", data]);
    expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/is the folder of the agent shop7/) });
  });

  it("ends with 1 and one line when another process holds its folder, and with 2 for a wrong option", async () => {
    const { server, data } = await enrolled();
    const first = startAgent(["run", "--data", data, "--register", "main=emulator:main"]);
    await server.ready();
    await first.until(/"connected"/);
    const second = await agentCommand(["run", "--data", data, "--register", "main=emulator:main"]);
    expect(second).toMatchObject({ code: 1, out: "", err: `another process uses the data folder ${data}\n` });
    expect((await agentCommand(["run", "--data", data, "--wrong"])).code).toBe(2);
    expect((await agentCommand(["run", "--data", data, "--register", "main=agent:other"])).code).toBe(2);
  });

  it("comes back after the connection was cut, with the epoch that it has stored", async () => {
    const { server, data } = await enrolled();
    const agent = startAgent(["run", "--data", data, "--register", "main=emulator:main"]);
    const first = await server.ready({ epoch: 7 });
    first.cut();
    const second = await server.ready();
    expect(second.frames[0]).toMatchObject({ hello: { epoch: 7 } });
    const [helloOne, helloTwo] = [first, second].map(({ frames }) => (frames[0] as { hello: Frame }).hello);
    expect(helloTwo).toMatchObject({ folder: helloOne?.folder, boot: helloOne?.boot });
    agent.child.kill("SIGTERM");
    expect(await agent.ended).toBe(0);
  });

  it("finishes the document under way after SIGTERM, and ends at once after the second", async () => {
    const { server, data } = await enrolled();
    const run = ["run", "--data", data, "--register", "main=emulator:main"];
    const first = startAgent(run);
    const connection = await server.ready();
    await connection.call({ call: 1, do: "inspect", ...head });
    const perform = { do: "perform", ...head, hash: "h", needs: [], document: shiftDocument("open-shift") };
    connection.send({ call: 2, ...perform, attempt: "a-1" });
    await connection.frame((frame) => frame.accepted === 2);
    first.child.kill("SIGTERM");
    await first.until(/takes no new call/);
    expect(await connection.call({ call: 3, do: "inspect", ...head })).toMatchObject({ failed: { code: "leaving" } });
    connection.send({ go: 2 });
    expect(await connection.frame((frame) => frame.answer === 2)).toMatchObject({ result: { kind: "done" } });
    expect(await first.ended).toBe(0);

    const second = startAgent(run);
    const next = await server.ready();
    await next.call({ call: 1, do: "inspect", ...head });
    next.send({ call: 2, ...perform, attempt: "a-2", document: shiftDocument("close-shift") });
    await next.frame((frame) => frame.accepted === 2);
    second.child.kill("SIGTERM");
    await second.until(/takes no new call/);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(143);

    const third = startAgent(run);
    const last = await server.ready();
    expect((await last.call({ call: 1, do: "recall", ...head, attempt: "a-1" })).result).toMatchObject({ kind: "outcome" });
    expect((await last.call({ call: 2, do: "recall", ...head, attempt: "a-2" })).result).toEqual({ kind: "unknown" });
    third.child.kill("SIGKILL");
  });

  it("tells its state, its record and its service beside the running agent", async () => {
    const { server, data } = await enrolled();
    const before = await agentCommand(["status", "--data", data, "--json"]);
    expect(JSON.parse(before.out)).toMatchObject({ agent: "agent-1", server: "server-1", connected: false, epoch: 0 });
    startAgent(["run", "--data", data, "--register", "main=emulator:main"]);
    const connection = await server.ready();
    await connection.call({ call: 1, do: "identity", ...head });
    connection.send({ call: 2, do: "perform", ...head, attempt: "a-1", hash: "h", needs: [], document: shiftDocument("open-shift") });
    await connection.frame((frame) => frame.accepted === 2);
    connection.send({ go: 2 });
    await connection.frame((frame) => frame.answer === 2);
    await connection.frame((frame) => "seen" in frame);
    const [status, list, shown, missing, unit] = await Promise.all([
      agentCommand(["status", "--data", data, "--json"]),
      agentCommand(["record", "list", "--data", data]),
      agentCommand(["record", "show", "a-1", "--data", data, "--json"]),
      agentCommand(["record", "show", "a-9", "--data", data]),
      agentCommand(["install", "--print", "--user", "shop", "--data", data]),
    ]);
    expect(JSON.parse(status.out)).toMatchObject({
      connected: true,
      since: expect.any(String),
      epoch: 1,
      attempts: { unsettled: 1, kept: 1 },
      registers: [{ name: "main", scheme: "emulator" }],
    });
    expect(list.out).toMatch(/ {2}a-1 {2}main {2}done\n$/);
    expect(JSON.parse(shown.out)).toMatchObject({ attempt: "a-1", hash: "h", state: "done", settled: false, outcome: { kind: "done" } });
    expect(missing).toMatchObject({ code: 1, err: "the record has no attempt a-9\n" });
    expect(unit.out).toContain("User=shop\n");
    expect(unit.out).toContain(`"run" "--data" "${data}"`);
    const doctor = await agentCommand(["doctor", "--data", data, "--register", "main=emulator:main", "--json"]);
    expect(JSON.parse(doctor.out)).toMatchObject({ server: { reached: true }, registers: [{ name: "main", examined: { kind: "held" } }] });
  });

  it("ends with 1 and one line when its folder is removed", async () => {
    const { server, data } = await enrolled();
    const agent = startAgent(["run", "--data", data], { env: { LOG_LEVEL: "silent" } });
    await server.ready();
    // The agent writes into its folder meanwhile. A removal that meets new files leaves some of them without an error, but a rename moves
    // all at once.
    renameSync(data, `${data}-gone`);
    rmSync(`${data}-gone`, { recursive: true, force: true });
    expect(await agent.ended).toBe(1);
    expect(agent.err()).toMatch(/^the (data folder|record) .*\n$/);
  });
});
