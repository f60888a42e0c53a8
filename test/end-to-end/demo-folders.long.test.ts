import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMPILE_CACHE } from "../support/compile-cache.ts";
import { EXTENT } from "../support/extent.ts";
import { temporaryFolder } from "../support/server-process.ts";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
/** Two or three programs are started, on a machine that runs other tests at the same time. */
const LIMIT_MS = 400_000;

/** Runs a demo with a folder of its own for temporary folders. It is interrupted once or twice when its output has a certain word. */
async function demo(args: string[], interrupted?: { after: RegExp; by: NodeJS.Signals[] }) {
  const folder = temporaryFolder();
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  const child = spawn(process.execPath, [CLI, "demo", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...COMPILE_CACHE, TMPDIR: temporary },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  let sent = false;
  const hear = (chunk: Buffer) => {
    said += chunk.toString("utf8");
    if (sent || interrupted?.after.test(said) !== true) return;
    sent = true;
    for (const signal of interrupted.by) child.kill(signal);
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  // The folder also has the locks of lines, which all programs on the machine share.
  const left = readdirSync(temporary).filter((name) => name.startsWith("fiscal-demo-"));
  return { folder, exitCode, said, left, begun: /folder (\S+), seed/.exec(said)?.[1] ?? "" };
}

describe("the temporary folders of a demo", { timeout: LIMIT_MS }, () => {
  const interruptions: [NodeJS.Signals[], string, number[]][] = [
    // `npm test` interrupts by one signal below, where the folder was named.
    ...(EXTENT === "long" ? ([[["SIGINT"], "--kill 40", [1]]] satisfies [NodeJS.Signals[], string, number[]][]) : []),
    // Signals as a terminal and npm send them: the second one comes before anything has ended, and the system decides which
    // comes first.
    [["SIGINT", "SIGTERM"], "--register shtrih-m+tcp --keep", [130, 143]],
  ];
  it.for(interruptions)("are gone when %s interrupt the day, with %s", async ([by, args, codes]) => {
    const { exitCode, said, left, begun } = await demo(args.split(" "), { after: /server process/, by });
    expect(begun).toContain("/temporary/fiscal-demo-");
    expect(codes).toContain(exitCode);
    expect(left).toEqual([]);
    expect(said).not.toContain("nothing lost");
  });

  it("are gone when the day fails, and what was said of the reason is not", async () => {
    const { exitCode, said, left, begun } = await demo(["--register", "shtrih-m+tcp://127.0.0.1:1?timeoutMs=1000"]);
    expect(begun).toContain("/temporary/fiscal-demo-");
    expect({ exitCode, left }).toEqual({ exitCode: 1, left: [] });
    expect(said).toMatch(/demo failed: .+\n(?: {2}\| .+\n)+seed \d+, with --data DIR everything is left there\n$/);
  });

  it("leave a folder that was named, and the receipts", async () => {
    const { exitCode, folder, said, left } = await demo(["--data", "named"], { after: /sale, cash/, by: ["SIGTERM"] });
    expect({ exitCode, left }).toEqual({ exitCode: 1, left: [] });
    expect(said).toContain("demo interrupted, seed ");
    expect(existsSync(join(folder, "named", "fiscal.sqlite"))).toBe(true);
    expect(readdirSync(join(folder, "demo-receipts"))).toContain("02-open-shift.pdf");
  });
});
