import { describe, expect, it } from "vitest";
import { ALERT_KINDS, type AlertDetails, type AlertKind, AUDIENCES, type Condition } from "../../../src/alerts/condition.ts";
import { messagesOf, subjectOf } from "../../../src/alerts/words.ts";

const PLACE = { appId: "app", accountId: "account", storeId: "store-7" };
const REGISTER = "shtrih-m+tcp://10.0.0.7:7778";

const DETAILS: Readonly<Record<AlertKind, AlertDetails>> = {
  doubt: { about: "operation", id: 31, name: "00031" },
  "lane-stopped": { about: "lane", waiting: 4 },
  "drive-30-days": { about: "drive", daysLeft: 29 },
  "drive-3-days": { about: "drive", daysLeft: 2 },
  "operator-queue": { about: "queue", days: 4, unsent: 12 },
  "late-money": { about: "payment", id: "payment-1", amountKopecks: 25_920 },
  "paid-without-receipt": { about: "payment", id: "payment-1", amountKopecks: 25_920 },
  "payment-doubt": { about: "payment", id: "payment-1", amountKopecks: 25_920 },
};

function condition(kind: AlertKind): Condition {
  const isOfPayment = DETAILS[kind].about === "payment";
  return { kind, subject: "subject", place: PLACE, ...(isOfPayment ? {} : { register: REGISTER }), details: DETAILS[kind] };
}

const CASES = ALERT_KINDS.flatMap((kind) => AUDIENCES.map((audience) => ({ kind, audience })));

describe("the words of an alert", () => {
  it.each(CASES)(
    "$kind for the $audience name the shop, the register or the sum, and what to do, in both languages",
    ({ kind, audience }) => {
      const { begins, ends } = messagesOf(condition(kind), { audience, shop: "Пекарня", publicUrl: "https://fiscal.shop.example" });
      const [ru = "", en = ""] = begins.split("\n\n");
      for (const text of [ru, en]) {
        expect(text).toContain("Пекарня");
        expect(text).toContain(DETAILS[kind].about === "payment" ? "259.20" : REGISTER);
      }
      expect(ru).toContain("Что делать: ");
      expect(en).toContain("What to do: ");
      expect(subjectOf(begins)).toBe(begins.split("\n")[0]);
      expect(ends).toMatch(/^Закончилось: .*«Пекарня»/);
      expect(ends).toMatch(/^Over: .*“Пекарня”/m);
      expect(begins.includes("/console/")).toBe(audience === "operator" && ["operation", "payment"].includes(DETAILS[kind].about));
    },
  );

  it("lead the operator to the page of the operation or payment, and to a command", () => {
    const named = { audience: "operator", publicUrl: "https://fiscal.shop.example" } as const;
    expect(messagesOf(condition("doubt"), named).begins).toContain("https://fiscal.shop.example/console/operations/31");
    expect(messagesOf(condition("late-money"), named).begins).toContain("https://fiscal.shop.example/console/payments/payment-1");
    expect(messagesOf(condition("doubt"), { audience: "operator" }).begins).toContain("journal explain 31");
  });

  it("name the point of sale by its id where its name is not known, and none where nobody knows it", () => {
    expect(subjectOf(messagesOf(condition("doubt"), { audience: "owner" }).begins)).toBe(
      "Неизвестно, пробит ли документ: точка продаж store-7",
    );
    const { place: _place, ...alone } = condition("drive-3-days");
    expect(subjectOf(messagesOf(alone, { audience: "operator" }).begins)).toBe("Фискальный накопитель закончится меньше чем через 3 дня");
  });

  it.each(["Пекарня\r\nBcc: all@evil.example", "Пекарня\nBcc: all@evil.example", "Пекарня\u2028Bcc:", "Пекарня\u0000\u202e\r"])(
    "stay in one line, whatever the shop is called: %j",
    (shop) => {
      const { begins, ends } = messagesOf(condition("doubt"), { audience: "owner", shop });
      for (const text of [begins, ends]) {
        expect(subjectOf(text)).toMatch(/«Пекарня[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*»$/u);
        expect(text).not.toMatch(/^Bcc:/m);
      }
      expect(begins.split("\n\n")).toHaveLength(2);
    },
  );

  it("cut a name that is too long", () => {
    expect(subjectOf(messagesOf(condition("doubt"), { audience: "owner", shop: "П".repeat(10_000) }).begins).length).toBeLessThan(200);
  });
});
