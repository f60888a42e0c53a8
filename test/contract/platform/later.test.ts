import { expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/clock.ts";
import { readLater } from "../../../src/platform/later.ts";
import { oddPlatform } from "../../support/odd-platform.ts";

const TASK = "7944ef04-f831-11e5-7a69-971500188b19";

it.each(["begin", "poll"])("a reading that is given up while the platform answers the %s is cancelled there", async (moment) => {
  const giveUp = new AbortController();
  const cancelled: string[] = [];
  const { api, close } = await oddPlatform((request, response) => {
    const task = `http://${request.headers.host}/api/remap/1.2/async/${TASK}`;
    const path = request.url ?? "";
    if (request.method === "PUT") {
      cancelled.push(path);
      response.end("{}");
    } else if (path.includes("/async/")) {
      giveUp.abort();
      setImmediate(() => response.end(JSON.stringify({ id: TASK, state: "PENDING" })));
    } else {
      if (moment === "begin") giveUp.abort();
      setImmediate(() => response.writeHead(202, { location: `${task}/result`, "content-location": task }).end());
    }
  });
  try {
    const reading = readLater(api, systemClock, { path: "report/stock/all" }, { signal: giveUp.signal });
    await expect(reading).rejects.toMatchObject({ code: "platform-cancelled" });
    expect(cancelled).toEqual([expect.stringContaining(`async/${TASK}/cancel`)]);
  } finally {
    await close();
  }
});
