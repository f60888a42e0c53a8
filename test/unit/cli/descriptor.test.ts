import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { descriptorCommand } from "../../../src/cli/descriptor.ts";
import { PLATFORM_PROFILES, type PlatformProfileName } from "../../../src/kernel/platform-profile.ts";
import { descriptorXml } from "../../../src/platform/descriptor.ts";

/** The output of the command and its exit code, for a server at this address. */
async function runWith(publicUrl: string, name: PlatformProfileName, args: string[] = []) {
  const out: string[] = [];
  const err: string[] = [];
  const profile = PLATFORM_PROFILES[name];
  const command = descriptorCommand(() => ({ publicUrl, profile }));
  const io = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    signal: new AbortController().signal,
  };
  return { exitCode: await command.run(args, io), out, err, xml: descriptorXml({ publicUrl, profile }).trimEnd() };
}

describe("the command descriptor", () => {
  it.each(["canonical", "production"] as const)("prints the XML for the profile %s and nothing else", async (name) => {
    const { exitCode, out, err, xml } = await runWith("https://fiscal.shop.example", name);
    expect([exitCode, out, err]).toEqual([0, [xml], []]);
    expect(xml).toMatch(/^<\?xml [\s\S]*https:\/\/fiscal\.shop\.example\/fiscal[\s\S]*<\/ServerApplication>$/);
  });

  it("takes https however it is written", async () => {
    expect(await runWith("HTTPS://fiscal.shop.example", "production")).toMatchObject({ exitCode: 0, err: [] });
  });

  it("prints an address without https too, with a warning beside it", async () => {
    const { exitCode, out, err, xml } = await runWith("http://127.0.0.1:8080", "canonical");
    expect([exitCode, out]).toEqual([0, [xml]]);
    expect(err).toEqual([expect.stringMatching(/^warning: PUBLIC_URL is http:\/\/127\.0\.0\.1:8080; .*https/)]);
  });

  it("refuses an address without https under the production profile, and prints no XML", async () => {
    const { exitCode, out, err } = await runWith("http://fiscal.shop.example", "production");
    expect([exitCode, out]).toEqual([1, []]);
    expect(err).toEqual([expect.stringMatching(/^PUBLIC_URL is http:\/\/fiscal\.shop\.example: .*https/)]);
  });

  it.each([[["extra"]], [["--profile", "production"]]])(
    "takes no arguments such as %j, and does not read the configuration for them",
    async (args) => {
      const unread = descriptorCommand(() => {
        throw new Error("the configuration was read");
      });
      const io = { out: () => {}, err: () => {}, signal: new AbortController().signal };
      await expect(unread.run(args, io)).rejects.toThrow(UsageError);
    },
  );
});
