import { expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { consoleScene } from "../../support/console-scene.ts";
import { saleOperation, Till } from "../../support/till.ts";

const WEEK_MS = 7 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

it("totals without chosen days cover the whole first day, like the same days when they are typed", async () => {
  const till = await Till.open();
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  await till.trial.clock.advance(WEEK_MS + HOUR_MS);
  const scene = await consoleScene(till);
  const person = scene.browser();
  await person.logIn();
  const bodyOf = (text: string) => text.slice(text.indexOf("<tbody>"), text.indexOf("</tbody>"));
  const unchosen = (await person.get("/totals")).text;
  const from = /id="by-from"[^>]*value="([^"]*)"/.exec(unchosen)?.[1] ?? "";
  const chosen = (await person.get(`/totals?from=${from}`)).text;
  expect(bodyOf(unchosen)).toContain("чеков: 1");
  expect(bodyOf(unchosen)).toBe(bodyOf(chosen));
  const [file, sameDays] = [(await person.get("/totals.csv")).text, (await person.get(`/totals.csv?from=${from}`)).text];
  expect(file.trim().split("\r\n")).toHaveLength(2);
  expect(file).toBe(sameDays);
  expect((await auditLines(till.store, { limit: 2 })).map(({ reason }) => reason)).toEqual([`from=${from}`, `from=${from}`]);
});
