import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { windowsService } from "../../../src/agent/commands/service-definition.ts";

const AGENT = fileURLToPath(new URL("../../../src/agent.ts", import.meta.url));

it.skipIf(process.platform === "win32")(
  "the systemd unit doubles a dollar in the command, and keeps the proxy's password out of it",
  () => {
    const data = join(mkdtempSync(join(tmpdir(), "agent-unit-")), "a$b");
    const env = { HTTPS_PROXY: "http://user:a$b%c@proxy.example:3128" };
    const { stdout, stderr } = spawnSync(process.execPath, [AGENT, "install", "--print", "--data", data], { encoding: "utf8", env });
    expect(stdout).toContain("EnvironmentFile=/etc/fiscal-agent.env\n");
    expect(stdout).not.toContain("proxy.example");
    expect(stdout).toContain('/a$$b"');
    expect(stderr).toContain('HTTPS_PROXY="http://user:a\\$b%c@proxy.example:3128"');
  },
);

it("the Windows service doubles the backslashes before a quote", () => {
  const text = windowsService({ command: ["node.exe", "C:\\data folder\\", "C:\\a", 'x\\"y'], environment: {} });
  const quoted = ['"C:\\data folder\\\\"', '"C:\\a"', '"x\\\\\\"y"'].join(" ").replaceAll('"', "&quot;");
  expect(text).toContain(`<arguments>${quoted}</arguments>`);
});

it("the status of an agent that was killed shows neither its connection nor the states of its registers", () => {
  const data = mkdtempSync(join(tmpdir(), "agent-killed-"));
  const identity = { agent: "agent-1", name: "shop", server: "server-1", url: "https://server.example" };
  writeFileSync(join(data, "identity.json"), JSON.stringify(identity));
  const registers = [{ name: "main", scheme: "emulator", state: "ready", serialNumber: "1", driveNumber: "2" }];
  writeFileSync(join(data, "status.json"), JSON.stringify({ connected: true, since: "2026-03-02T09:00:00.000Z", registers }));
  const { stdout } = spawnSync(process.execPath, [AGENT, "status", "--data", data, "--json"], { encoding: "utf8" });
  expect(JSON.parse(stdout)).toMatchObject({
    running: false,
    connected: false,
    since: null,
    registers: [{ name: "main", state: "not-seen" }],
  });
});
