import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { CODE, type Frame, type PlayedConnection, type PlayedServer, playServer } from "../support/agent-played-server.ts";
import { type AgentProcess, agentCommand, startAgent } from "../support/agent-process.ts";
import { cashDocument, shiftDocument } from "../support/register-documents.ts";

const HEAD = { register: "main", fence: 1, budgetMs: 20_000 };
/** Several rounds, because the timing differs: after a `go` the kill falls before, in the middle of or after the registration. */
const ROUNDS = 4;

/** The steps at which the agent is killed. */
const STEPS = ["sent", "accepted", "go", "answer"] as const;
type Step = (typeof STEPS)[number];

interface Play {
  server: PlayedServer;
  run: string[];
  agent: AgentProcess;
  connection: PlayedConnection;
}

async function begin(): Promise<Play> {
  const server = await playServer();
  onTestFinished(() => server.close());
  const data = join(mkdtempSync(join(tmpdir(), "agent-kill-")), "data");
  await agentCommand(["enrol", "--server", server.address, "--code", CODE, "--data", data]);
  const run = ["run", "--data", data, "--register", "main=emulator:main"];
  return { server, run, agent: startAgent(run), connection: await server.ready() };
}

async function drawer(connection: PlayedConnection, call: number): Promise<number> {
  const { result } = await connection.call({ call, do: "inspect", ...HEAD });
  return (result as { value: { drawerKopecks: number } }).value.drawerKopecks;
}

/** Sends a document, kills the agent at a step and starts it again. Returns what the server can conclude. */
async function killed(play: Play, step: Step, attempt: string): Promise<Frame> {
  const { agent, connection, server, run } = play;
  connection.send({ call: 2, do: "perform", ...HEAD, attempt, hash: "h", needs: [], document: cashDocument("cash-in", 100) });
  if (step !== "sent") await connection.frame(({ accepted }) => accepted === 2);
  if (step === "go" || step === "answer") connection.send({ go: 2 });
  if (step === "answer") await connection.frame(({ answer }) => answer === 2);
  agent.child.kill("SIGKILL");
  await agent.ended;
  play.agent = startAgent(run);
  play.connection = await server.ready();
  const recalled = await play.connection.call({ call: 1, do: "recall", ...HEAD, attempt });
  return recalled.result as Frame;
}

describe("an agent that is killed at a step of a document", () => {
  it.each(STEPS)("tells after its restart nothing that the register contradicts: %s", { timeout: 120_000 }, async (step) => {
    const play = await begin();
    await drawer(play.connection, 1);
    play.connection.send({ call: 2, do: "perform", ...HEAD, attempt: "open", hash: "h", needs: [], document: shiftDocument("open-shift") });
    await play.connection.frame(({ accepted }) => accepted === 2);
    play.connection.send({ go: 2 });
    await play.connection.frame(({ answer }) => answer === 2);
    // The numbers of calls begin anew with each connection.
    play.agent.child.kill("SIGKILL");
    await play.agent.ended;
    play.agent = startAgent(play.run);
    play.connection = await play.server.ready();
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await drawer(play.connection, 3);
      const { kind, outcome } = await killed(play, step, `${step}-${round}`);
      const made = (await drawer(play.connection, 4)) - before;
      expect([0, 100]).toContain(made);
      if (step === "answer") expect(kind).toBe("outcome");
      if (step === "sent" || step === "accepted") expect(made).toBe(0);
      if (kind === "never") expect(made).toBe(0);
      if (kind === "outcome") expect(made).toBe((outcome as Frame).kind === "done" ? 100 : 0);
    }
    play.agent.child.kill("SIGTERM");
    expect(await play.agent.ended).toBe(0);
  });
});
