import { expect, it } from "vitest";
import { MAX_HOUR_RANGES } from "../../../../src/loyalty/programme/bounds.ts";
import { control } from "../../../../src/web/settings/loyalty/programme-controls.ts";
import { RULES } from "../../../../src/web/settings/loyalty/programme-fields.ts";
import { itemFields } from "../../../../src/web/settings/loyalty/programme-form.ts";

it("has room for as many ranges of hours as a rule may have", () => {
  const name = "rules.0.when.hours";
  const field = itemFields(RULES, 0).find((one) => one.name === name);
  if (field === undefined) throw new Error("a rule has no hours");
  const hours = Array.from({ length: MAX_HOUR_RANGES }, (_, hour) => String(hour).padStart(2, "0")).map((hour) => `${hour}:00-${hour}:30`);
  const typed = new Map([[name, hours.join(", ")]]);
  const markup = control((_ru, en) => en, field, { version: 1, typed, problems: new Map(), points: [] });
  const room = /maxlength="(\d+)"/.exec(String(markup))?.[1];
  expect(Number(room)).toBeGreaterThanOrEqual(typed.get(name)?.length ?? 0);
});
