import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { Rack } from "../../src/registers/rack.ts";
import { sample } from "../support/extent.ts";
import { stateOf, temporaryFolder, ZONE } from "../support/registers.ts";

const CHILD = fileURLToPath(new URL("../support/register-child.ts", import.meta.url));
const ADDRESS = "emulator:killed";
/** The number of documents after which each process is killed. The moment within the next document is random. */
const LIVES = sample([1, 2, 3, 8, 21, 55], 2);

type Child = ChildProcessByStdio<null, Readable, null>;

function sell(dataDir: string): Child {
  const child = spawn(process.execPath, [CHILD, dataDir, ADDRESS], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

function openRack(dataDir: string, notes: string[] = []): Rack {
  const note = (_level: string, _text: string, values: Record<string, unknown>) => notes.push(String(values.reason));
  const rack = new Rack({ clock: systemClock, chance: systemChance, dataDir, note });
  onTestFinished(() => rack.close());
  return rack;
}

describe("an emulator whose process is killed with -9", () => {
  it("keeps every acknowledged document and numbers without gaps over many kills", async () => {
    const dataDir = await temporaryFolder();
    const acknowledged = new Map<number, string>();
    for (const afterLines of LIVES) {
      const child = sell(dataDir);
      let lines = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        const [number = "", sign = ""] = line.split(" ");
        expect(acknowledged.has(Number(number)), `document ${number} was made twice`).toBe(false);
        acknowledged.set(Number(number), sign);
        lines += 1;
        if (lines === afterLines) child.kill("SIGKILL");
      }
      expect(lines).toBeGreaterThanOrEqual(afterLines);
    }

    const register = openRack(dataDir).at(ADDRESS, ZONE);
    const soon = () => deadlineIn(systemClock, 10_000);
    const state = await stateOf(register);
    expect(state.lastDocumentNumber).toBeGreaterThanOrEqual(Math.max(...acknowledged.keys()));
    // The registration, the opening, and for each kill at most one document that was durable but not answered.
    expect(state.lastDocumentNumber - acknowledged.size).toBeLessThanOrEqual(2 + LIVES.length);
    expect(state.drawerKopecks).toBe((state.lastDocumentNumber - 2) * 10_000);
    for (let number = 2; number <= state.lastDocumentNumber; number += 1) {
      const found = await register.lookUp(number, soon());
      expect(found).toMatchObject({ kind: "found", facts: { documentNumber: number } });
      const sign = acknowledged.get(number);
      if (found.kind === "found" && sign !== undefined) expect(found.facts.fiscalSign).toBe(sign);
    }
  });

  it("locks its folder against a second process, which is told who holds it, and leaves no lock behind", async () => {
    const dataDir = await temporaryFolder();
    const child = sell(dataDir);
    await once(child.stdout, "data");
    child.stdout.resume();

    const notes: string[] = [];
    const register = openRack(dataDir, notes).at(ADDRESS, ZONE);
    const refused = await register.inspect(deadlineIn(systemClock, 10_000));
    expect(refused).toEqual({ kind: "unreachable", reason: "память эмулятора занята другой программой" });
    expect(notes.join()).toContain(`is in use by process ${child.pid} on `);

    child.kill("SIGKILL");
    await once(child, "exit");
    expect((await register.inspect(deadlineIn(systemClock, 10_000))).kind).toBe("reached");
  });
});
