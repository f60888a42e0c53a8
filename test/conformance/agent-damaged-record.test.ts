import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordCommand } from "../../src/agent/commands/record.ts";
import { statusCommand } from "../../src/agent/commands/status.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { temporaryFolder } from "../support/server-process.ts";

const IDENTITY = { agent: "agent", name: "shop", server: "server", url: "ws://127.0.0.1:9" };

it.each([
  ["empty", ""],
  ["no database", "x".repeat(4_096)],
])("a record of an agent that is %s is told in one line by each command that reads it", async (_, content) => {
  const folder = join(temporaryFolder(), "agent");
  mkdirSync(folder);
  writeFileSync(join(folder, "identity.json"), JSON.stringify(IDENTITY));
  writeFileSync(join(folder, "record.sqlite"), content);
  const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
  await expect(recordCommand.run(["list", "--data", folder], io)).rejects.toBeInstanceOf(Failure);
  await expect(statusCommand.run(["--data", folder], io)).rejects.toBeInstanceOf(Failure);
});

it("a lock of an agent's folder that is no file is told in one line", async () => {
  const folder = join(temporaryFolder(), "agent");
  mkdirSync(join(folder, "agent.lock"), { recursive: true });
  writeFileSync(join(folder, "identity.json"), JSON.stringify(IDENTITY));
  const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
  await expect(statusCommand.run(["--data", folder], io)).rejects.toBeInstanceOf(Failure);
});
