import { expect, it } from "vitest";
import { auditLines } from "../../../src/accounts/audit.ts";
import { memberNamed } from "../../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../../src/operator/loyalty/grant-points.ts";
import { memberStory } from "../../../src/operator/loyalty/member-story.ts";
import { sayIn } from "../../../src/web/language.ts";
import type { PageContext } from "../../../src/web/settings/context.ts";
import { grant, memberPage } from "../../../src/web/settings/members/members-acts.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { ZONE } from "../../support/registers.ts";

/** A member of a programme, and the page about the member. */
async function scene() {
  const bench = await LoyaltyBench.open();
  const enrolled = await bench.members.enrol(LOYALTY_KEY, {
    identity: { platformId: "anna-1", phone: "+79039993344" },
    personal: { name: "Анна", phone: "+79039993344" },
    isNative: true,
  });
  const services = {
    settings: { of: async () => ({ timeZone: ZONE }) as never },
    members: {
      find: (...text: Rest<typeof memberNamed>) => memberNamed(bench, ...text),
      story: (...row: Rest<typeof memberStory>) => memberStory(bench, ...row),
      grant: (...order: Rest<typeof grantPoints>) => grantPoints(bench, ...order),
      personOf: () => ({ name: "Анна" }),
    },
  };
  const session = {
    ...LOYALTY_KEY,
    name: "olga@shop",
    role: "admin",
    administrator: true,
    language: "ru",
    expiresAtMs: 0,
    csrf: "",
  } as const;
  const times = { installedAtMs: 0, updatedAtMs: 0 };
  const installation = { ...LOYALTY_KEY, state: "active", accountName: "shop", hasAccessToken: false, ...times } as const;
  const context: PageContext = { say: sayIn("ru"), language: "ru", session, installation, mayChange: true, nowMs: 0 };
  const give = (form: Record<string, string>) => grant(services, context, enrolled.memberId, new Map(Object.entries(form)));
  return { bench, services, context, id: enrolled.memberId, give };
}

type Rest<Call> = Call extends (desk: never, ...rest: infer Parameters) => unknown ? Parameters : never;

const rowsIn = (text: string) => text.match(/Начислено вручную/g) ?? [];

it("a member's page on the settings page shows the newest 200 entries, and books the next one", async () => {
  const { services, context, id, give } = await scene();
  for (let entry = 0; entry < 205; entry += 1)
    expect((await give({ points: "1", reason: `gift ${entry}`, "seen.entry": String(entry) }))?.status).toBe(200);
  const page = String((await memberPage(services, context, id))?.content);
  expect(rowsIn(page)).toHaveLength(200);
  expect(page).toContain("Показаны последние 200.");
  expect([page.includes("gift 4 "), page.includes("gift 5 "), page.includes("gift 204 ")]).toEqual([false, true, true]);
  expect(page).toContain('name="seen.entry" value="205"');
  expect(page).toContain("205 б.");
});

it("a reason for points that is longer than the control of the page takes is cut", async () => {
  const { bench, give } = await scene();
  const form = { points: "1", reason: `  ${"щ".repeat(9_000)}`, "seen.entry": "0" };
  const [first, again] = [await give(form), await give(form)];
  expect([first?.status, again?.status, String(again?.markup).includes("Это уже записано")]).toEqual([200, 200, true]);
  expect(String(first?.markup)).toMatch(/name="reason"[^>]* maxlength="500"/);
  expect((await auditLines(bench.store, { limit: 5 })).map(({ reason }) => reason)).toEqual(["щ".repeat(500)]);
});
