import { describe, expect, it, onTestFinished } from "vitest";
import type { SandboxOptions } from "../../../src/tools/sandbox/sandbox.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const HOUR_MS = 3_600_000;
const HEADER = "x-platform-api-version-deprecated";

/** 22:00 in Moscow, two hours before the day on which the old versions are switched off. */
async function ending(more: Partial<Pick<SandboxOptions, "profile">> = {}): Promise<{ sandbox: TestSandbox; clock: VirtualClock }> {
  const clock = new VirtualClock(Date.UTC(2026, 2, 5, 19));
  const sandbox = await testSandbox({ clock, settings: { oldVersionsEnd: "2026-03-06" }, ...more });
  onTestFinished(() => sandbox.close());
  return { sandbox, clock };
}

const under = (sandbox: TestSandbox, version: string) => sandbox.call("GET", `${sandbox.base}/api/remap/${version}/entity/uom?limit=1`);

describe("versions of the sandbox's API", () => {
  it("answers of an old version name the day on which it is switched off, refusals too; those of the current one do not", async () => {
    const { sandbox } = await ending();
    for (const version of ["1.0", "1.1"]) {
      const answer = await under(sandbox, version);
      expect([answer.status, answer.headers.get(HEADER)], version).toEqual([200, "2026-03-06"]);
    }
    const refused = await sandbox.call("GET", `${sandbox.base}/api/remap/1.1/entity/elephant`);
    expect([refused.status, refused.headers.get(HEADER)]).toEqual([412, "2026-03-06"]);
    expect((await under(sandbox, "1.2")).headers.get(HEADER)).toBeNull();
  });

  it("the header has the vendor's name under the production profile", async () => {
    const { sandbox } = await ending({ profile: "production" });
    expect((await under(sandbox, "1.1")).headers.get("x-lognex-api-version-deprecated")).toBe("2026-03-06");
  });

  it("a withdrawn version answers 410 in JSON, and the current one goes on", async () => {
    const { sandbox, clock } = await ending();
    await clock.advance(2 * HOUR_MS);
    const gone = await under(sandbox, "1.1");
    expect([gone.status, gone.at("errors", 0, "error")]).toEqual([410, expect.any(String)]);
    expect((await under(sandbox, "1.2")).status).toBe(200);
  });

  it("a version that never was is a page and no JSON", async () => {
    const { sandbox } = await ending();
    const unknown = await under(sandbox, "1.3");
    expect([unknown.status, unknown.body]).toEqual([404, undefined]);
    expect(unknown.headers.get("content-type")).toContain("text/html");
  });

  it("nothing is announced while nobody has said when", async () => {
    const sandbox = await testSandbox();
    onTestFinished(() => sandbox.close());
    const answer = await under(sandbox, "1.1");
    expect([answer.status, answer.headers.get(HEADER)]).toEqual([200, null]);
  });
});
