import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { PlatformApi } from "../../src/platform/api/api.ts";
import { openWire, type Wire } from "../../src/platform/api/exchange.ts";

export interface OddPlatform {
  url: string;
  api: PlatformApi;
  wire: Wire;
  /** The number of requests that came. */
  asked(): number;
  close(): Promise<void>;
}

/** A platform that answers every request by `reply`, as no sandbox answers, and the client that calls the platform. */
export async function oddPlatform(reply: (request: IncomingMessage, response: ServerResponse) => void): Promise<OddPlatform> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    reply(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const wire = openWire({ parallel: 2 });
  const api = new PlatformApi({
    url: `${url}/api/remap/1.2`,
    authorization: () => "Bearer x",
    headers: PLATFORM_PROFILES.canonical.headers,
    wire,
    clock: systemClock,
    log: silentLog,
    rateHeeded: false,
  });
  return {
    url,
    api,
    wire,
    asked: () => asked,
    async close() {
      await wire.abandon();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
