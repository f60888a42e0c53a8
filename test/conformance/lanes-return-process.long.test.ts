import { join } from "node:path";
import { expect, it } from "vitest";
import { seenRegisters } from "../../src/app/seen-registers.ts";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";
import { allowedMs } from "../support/hostile/yardstick.ts";
import { LaneShop } from "../support/lanes.ts";
import { describeLink, LINK_KINDS } from "../support/links.ts";
import { temporaryFolder } from "../support/registers.ts";
import { type DeviceProcess, startDevice } from "../support/shtrih-m-device-process.ts";
import { textOf } from "../support/till.ts";

/** The server promises that a register is in service again within this time, without a person. */
const RETURN_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** The options that tell a device process its address, which is the same after a restart. */
const PLACES: Record<string, (folder: string, before?: DeviceProcess) => Promise<string[]>> = {
  TCP: async (_folder, before) => ["--listen", before?.address.replace("shtrih-m+", "") ?? `tcp://127.0.0.1:${await freePort()}`],
  "a serial port": async (folder) => ["--pty", join(folder, "tty")],
};

for (const kind of LINK_KINDS.filter(({ title }) => title in PLACES)) {
  describeLink("a device that ends and starts again", kind, () => {
    it("is reachable within five seconds by itself, and the next sale succeeds", async () => {
      const folder = await temporaryFolder();
      const place = PLACES[kind.title] ?? (async () => []);
      const start = async (before?: DeviceProcess) => startDevice(...(await place(folder, before)), "--data", join(folder, "device"));
      const first = await start();
      const shop = await LaneShop.open(systemClock, { shop: first.address });
      const told = () => seenRegisters(shop.rack.seen(), systemClock.nowMs())[0];
      expect(textOf(await shop.openShift("shop"))).toBe("open-shift");
      expect(textOf(await shop.sell("shop", "before"))).toBe("receipt");

      await first.end("SIGKILL");
      expect(textOf(await shop.sell("shop", "meanwhile"))).toBe("register-unreachable");
      expect(told()?.reachable).toBe(false);

      await start(first);
      const backMs = systemClock.monotonicMs();
      while (told()?.reachable !== true) await pause(systemClock, LOOK_EVERY_MS);
      const tookMs = systemClock.monotonicMs() - backMs;
      expect(tookMs).toBeLessThan(allowedMs(tookMs, RETURN_MS));
      expect(told()).toMatchObject({ reachable: true, shift: "open", lastDocumentNumber: 3 });
      expect(textOf(await shop.sell("shop", "after"))).toBe("receipt");
      expect(told()?.lastDocumentNumber).toBe(4);
    });
  });
}
