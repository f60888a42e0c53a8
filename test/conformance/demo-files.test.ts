import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { ChildProgram } from "../../src/tools/demo/processes/child-program.ts";
import { temporaryFolder } from "../support/server-process.ts";

it("what a program of the demo says can be read by its user alone, in a folder for everybody and in files of an earlier run too", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  const [outFile, errorFile] = [join(folder, "demo-x.out"), join(folder, "demo-x.err")];
  writeFileSync(errorFile, "");
  chmodSync(errorFile, 0o666);
  const child = new ChildProgram({ name: "x", outFile, errorFile, cwd: folder, clock: systemClock, detached: false });
  await child.start(["-e", "console.log('ready')"], (output) => (output.includes("ready") ? true : undefined));
  await child.endForGood();
  expect(readFileSync(outFile, "utf8")).toBe("ready\n");
  expect([outFile, errorFile].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
});
