import { expect, it } from "vitest";
import { unsentMessages } from "../../../src/alerts/alerts.ts";
import type { Condition } from "../../../src/alerts/condition.ts";
import { AlertDesk } from "../../support/alert-desk.ts";
import { consoleScene } from "../../support/console-scene.ts";
import { Till } from "../../support/till.ts";

const LATE: Condition = { kind: "late-money", subject: "payment-1", details: { about: "payment", id: "payment-1", amountKopecks: 100 } };

it("the console shows first which alerts could not be sent, and why", async () => {
  const till = await Till.open();
  const { clock } = till.trial;
  const desk = new AlertDesk({ store: till.store, clock, channel: "http://127.0.0.1:1/<b>secret</b>" });
  const { browser } = await consoleScene(till, { alerts: { unsent: (limit) => unsentMessages(till.store, limit) } });
  const person = browser();
  await person.logIn();
  expect((await person.get("/")).text).not.toContain("data-alert");
  desk.conditions = [LATE];
  await desk.alerts.look();
  const { text } = await person.get("/");
  expect(text).toContain('<li data-alert="late-money">Деньги пришли после отказа: началось');
  expect(text).toMatch(/Попыток: 1\. 127\.0\.0\.1:1/);
  expect(text).not.toContain("secret");
  expect(text).not.toContain("Всё спокойно");
});
