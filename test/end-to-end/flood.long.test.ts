import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { Shop, SMALL_BASKET } from "../bench/bench-shop.ts";
import { type AttackTarget, requestOf } from "../support/attacks/attack.ts";
import { startChild } from "../support/child.ts";
import { exchange } from "../support/http-server.ts";

/** Two processes start. One of them attacks the other for as long as the sales take. */
const LIMIT_MS = 240_000;
const SALES = 5;

const folder = mkdtempSync(join(tmpdir(), "fiscal-flood-"));
const server = new ServerProcess({
  dataDir: join(folder, "data"),
  environment: { HOST: "127.0.0.1", PORT: "0" },
  clock: systemClock,
  detached: false,
});
// One server gets all the floods. Each test has a shop of its own.
beforeAll(() => server.start(), LIMIT_MS);
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** The smallest flood of each kind: a hundred connections that are opened again as soon as they are closed. */
it.each(["churn", "reset-sales", "malformed"])(
  "a shop whose every sale comes on a new connection sells while others flood the server with connections: %s",
  async (attack) => {
    const shop = new Shop({ tills: 1, basket: SMALL_BASKET });
    await shop.open(server.base);
    const port = Number(new URL(server.base).port);
    const target: AttackTarget = { port, registrationId: shop.registrationId, appId: shop.places.appId };
    const attacker = startChild("attacks/attacker.ts", attack, JSON.stringify(target));
    onTestFinished(() => attacker.kill());
    await attacker.lines.next();

    const statuses: (string | undefined)[] = [];
    for (const { method, path, headers, bodyBase64 } of shop.sales(1, SALES)[0]?.calls ?? []) {
      const body = Buffer.from(bodyBase64, "base64");
      const sale = requestOf(`${method} ${path}`, { ...headers, "Content-Length": body.length, Connection: "close" }, body);
      statuses.push((await exchange(port, sale)).split("\r\n")[0]);
    }
    expect(statuses).toEqual(Array.from({ length: SALES }, () => "HTTP/1.1 200 OK"));
    expect(server.alive).toBe(true);
  },
  LIMIT_MS,
);
