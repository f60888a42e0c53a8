import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import { describeLink, type PtyPair, ptyPair, SERIAL, within } from "../support/links.ts";

describeLink("exclusive use", SERIAL, () => {
  let pair: PtyPair;

  beforeEach(async () => {
    pair = await ptyPair();
  });
  afterEach(() => pair.end());

  it("refuses in words a port that another process holds, and opens it once that has let go", async () => {
    const holder = spawn(process.execPath, [join(import.meta.dirname, "../support/serial-holder.ts"), pair.near], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [said] = await once(createInterface(holder.stdout), "line");
    expect(said).toBe("held");
    const link = new SerialLink({ path: pair.near, baud: 115_200 }, systemClock);
    expect(await link.open(within())).toEqual({ kind: "shut", reason: `порт ${pair.near} занят другой программой` });
    holder.stdin.end();
    await once(holder, "exit");
    expect(await link.open(within())).toEqual({ kind: "open" });
    await link.close();
  });

  it("refuses in words a port that this process holds already", async () => {
    const first = new SerialLink({ path: pair.near, baud: 115_200 }, systemClock);
    const second = new SerialLink({ path: pair.near, baud: 115_200 }, systemClock);
    expect(await first.open(within())).toEqual({ kind: "open" });
    expect(await second.open(within())).toMatchObject({ kind: "shut", reason: expect.stringContaining("занят") });
    await first.close();
  });

  it("refuses in words what is no serial port", async () => {
    const link = new SerialLink({ path: "/dev/null", baud: 115_200 }, systemClock);
    expect(await link.open(within())).toMatchObject({ kind: "shut", reason: expect.stringContaining("/dev/null") });
  });
});
