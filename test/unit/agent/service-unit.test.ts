import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const AGENT = fileURLToPath(new URL("../../../src/agent.ts", import.meta.url));

it.skipIf(process.platform === "win32")("the systemd unit keeps a dollar of the proxy's address, and doubles it in the command", () => {
  const data = join(mkdtempSync(join(tmpdir(), "agent-unit-")), "a$b");
  const env = { HTTPS_PROXY: "http://user:a$b%c@proxy.example:3128" };
  const printed = spawnSync(process.execPath, [AGENT, "install", "--print", "--data", data], { encoding: "utf8", env }).stdout;
  expect(printed).toContain('Environment="HTTPS_PROXY=http://user:a$b%%c@proxy.example:3128"');
  expect(printed).toContain('/a$$b"');
});
