import { expect, it, onTestFinished } from "vitest";
import { Subscriptions } from "../../../src/accounts/shop/subscriptions.ts";
import { eventsRoutes } from "../../../src/contracts/events/routes.ts";
import { application } from "../../../src/http/application.ts";
import { LongBodies } from "../../../src/http/bodies/long-bodies.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { systemChance } from "../../../src/kernel/clock.ts";
import { keptLog, type LogLine } from "../../support/http-server.ts";
import { HurriedClock } from "../../support/hurried-clock.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { AskedReading, eventually, openNotifications } from "../../support/notifications.ts";
import { testClient } from "../../support/platform-client.ts";

/** A server that listens, a platform that notifies it, and the installation that joins them. */
async function open() {
  const scene = await testClient();
  const clock = new HurriedClock();
  const { log, lines } = keptLog();
  const store = await openMemoryStore();
  const reading = new AskedReading();
  const { install, links, installations, notifications } = openNotifications(store, { clock, log, reading });
  const router = eventsRoutes({ notifications, clock, longBodies: new LongBodies(clock), chance: systemChance });
  const requestIdHeader = "X_Platform_RequestId";
  const mounts = [{ base: "/webhooks", router }];
  const app = application({ requestIdHeader, mounts, log, clock, chance: systemChance, observe() {} });
  const server = new HttpServer({ application: app, log, clock });
  const { port } = await server.listen("127.0.0.1", 0);
  notifications.start();
  onTestFinished(async () => {
    clock.hurry();
    await scene.close();
    await server.close(1_000);
    await notifications.close();
    await store.close();
  });
  const key = await install(scene.sandbox.account.id);
  const secret = (await links.webhookSecret(key)).reveal();
  await new Subscriptions({ store, clock, log }).subscribe(key, scene.client, `http://127.0.0.1:${port}/webhooks/${secret}`);
  /** The objects that were read again, in the platform's order. */
  const readAgain = () => reading.of(key).flatMap((what) => (what === "everything" ? [] : what));
  return { ...scene, key, secret, installations, reading, readAgain, lines };
}

function requestsIn(lines: readonly LogLine[]): LogLine[] {
  return lines.filter(({ text }) => text === "request");
}

it("a product that is made, renamed and deleted at the platform is read again each time", async () => {
  const { client, readAgain } = await open();
  const tea = await client.products.create({ name: "Чай" });
  await eventually(() => readAgain().length === 1);
  await client.products.update(tea, { name: "Чай чёрный" });
  await eventually(() => readAgain().length === 2);
  await client.products.delete(tea);
  await eventually(() => readAgain().length === 3);
  expect(readAgain()).toEqual(["CREATE", "UPDATE", "DELETE"].map((action) => ({ type: "product", id: tea.id, action })));
});

it("a hundred products of one request are one notification, and each is read again", async () => {
  const { client, readAgain, lines } = await open();
  const results = await client.products.createMany(Array.from({ length: 100 }, (_, index) => ({ name: `Товар ${index}` })));
  const ids = results.flatMap((each) => (each.kind === "done" ? [each.value.id] : []));
  await eventually(() => readAgain().length === 100);
  expect(readAgain().map(({ id }) => id)).toEqual(ids);
  // The line is written when the answer has been sent, and the reading does not wait for that.
  await eventually(() => requestsIn(lines).length > 0);
  expect(requestsIn(lines).map(({ values }) => values.objects)).toEqual([100]);
});

it("what changes while the installation is suspended is answered and read by nobody", async () => {
  const { client, readAgain, lines, installations, key, secret } = await open();
  await installations.deactivate(key, "suspended");
  await client.products.create({ name: "Молоко" });
  await eventually(() => requestsIn(lines).length === 1);
  await installations.activate(key, {}, "active");
  const coffee = await client.products.create({ name: "Кофе" });
  await eventually(() => readAgain().length > 0);
  expect(readAgain().map(({ id }) => id)).toEqual([coffee.id]);
  await eventually(() => requestsIn(lines).length > 1);
  expect(requestsIn(lines).map(({ values }) => [values.status, values.outcome])).toEqual([
    [204, "not-active"],
    [204, "stored"],
  ]);
  expect(JSON.stringify(lines)).not.toContain(secret);
});
