import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Sent } from "../../src/registers/links/link.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import { describeLink, LONG_MS, type PtyPair, ptyPair, SERIAL, within } from "../support/links.ts";

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

/**
 * The number of times that the cable is pulled. At most of them the library is just closing the far port when the near
 * one notices the loss.
 */
const PULLS = 6;

describeLink("a port that goes", SERIAL, () => {
  it("ends what is sent while it goes at once, and not at the deadline", async () => {
    for (let pull = 0; pull < PULLS; pull += 1) {
      const { near, far, end } = await ptyPair();
      const [told, going] = [near, far].map((path) => new SerialLink({ path, baud: 115_200 }, systemClock));
      if (told === undefined || going === undefined) return;
      await told.open(within());
      await going.open(within());
      const reading = told.read(within());
      const ended = end();
      expect(await reading).toMatchObject({ kind: "lost" });
      // The far end may notice the loss a moment after the near one, so bytes are sent to it until it does.
      const begunMs = systemClock.monotonicMs();
      let sent: Sent = { kind: "sent" };
      while (sent.kind === "sent" && systemClock.monotonicMs() - begunMs < LONG_MS / 2) {
        const written = await going.write(Uint8Array.of(5), within());
        const drained = await going.drain(within());
        sent = written.kind === "lost" ? written : drained;
      }
      expect(sent).toEqual({ kind: "lost", reason: expect.stringMatching(/[а-я]{4}/), left: expect.any(Boolean) });
      expect(systemClock.monotonicMs() - begunMs).toBeLessThan(LONG_MS / 2);
      await Promise.all([told.close(), going.close(), ended]);
    }
  });

  it("is found lost by a read in vain when nobody told of it and its name leads to another device", async () => {
    const [first, second] = [await ptyPair(), await ptyPair()];
    const name = join(first.folder, "port");
    symlinkSync(readlinkSync(first.near), name);
    const link = new SerialLink({ path: name, baud: 115_200 }, systemClock);
    await link.open(within());
    expect(await link.read(within(0))).toEqual({ kind: "silence" });
    rmSync(name);
    symlinkSync(readlinkSync(second.near), name);
    expect(await link.read(within(0))).toMatchObject({ kind: "lost", reason: expect.stringContaining("пропал") });
    expect(link.isOpen).toBe(false);
    expect(await link.open(within())).toEqual({ kind: "open" });
    await link.close();
    await Promise.all([first.end(), second.end()]);
  });
});
