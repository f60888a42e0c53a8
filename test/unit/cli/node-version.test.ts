import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const CHECK = fileURLToPath(new URL("../../../src/node-version.cjs", import.meta.url));

/** Runs the check in a process of its own that pretends to be this version of Node. */
function checkUnder(version?: string) {
  const disguise =
    version === undefined
      ? ""
      : `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
         Object.defineProperty(process, "version", { value: "v${version}" });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", `${disguise}require(${JSON.stringify(CHECK)});`], {
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

describe("the check of Node's version", () => {
  it("is silent under the Node that runs the tests", () => {
    expect(checkUnder()).toEqual({ status: 0, out: "", err: "" });
  });

  it.each(["24.0.0", "25.1.0", "100.0.0"])("lets Node %s pass", (version) => {
    expect(checkUnder(version)).toEqual({ status: 0, out: "", err: "" });
  });

  it.each(["4.9.1", "8.17.0", "20.19.4", "23.11.1"])("ends under Node %s with one line that says what is needed", (version) => {
    const { status, out, err } = checkUnder(version);
    expect([status, out]).toEqual([1, ""]);
    expect(err.trimEnd().split("\n")).toEqual([expect.stringMatching(`^Node 24 or newer is needed, this is v${version}: .*npm ci`)]);
  });
});
