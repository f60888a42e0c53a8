import { describe, expect, it } from "vitest";
import { isFromPlatform, objectsIn, requestIdOf } from "../../../../src/platform/webhooks/notification.ts";
import { notificationSchema, stockNotificationSchema } from "../../../../src/platform/webhooks/schema.ts";

const event = (id: number, action: string) => ({
  meta: { type: "retaildemand", href: `https://api.example/entity/retaildemand/${id}` },
  action,
});

describe("a notification", () => {
  it("is read as the documentation shows it, with what is not known yet", () => {
    const body = {
      auditContext: { meta: { type: "audit", href: "https://api.example/audit/1" }, uid: "cashier@shop", moment: "2026-03-05 12:40:17" },
      events: [{ ...event(1, "UPDATE"), accountId: "7a11c0de-0000-4000-8000-000000000001", updatedFields: ["positions"], extra: 1 }],
    };
    expect(notificationSchema.parse(body)).toEqual(body);
    expect(notificationSchema.parse({ events: [event(1, "PROCESSED")] }).events).toHaveLength(1);
    for (const wrong of [{}, { events: [{}] }, { events: {} }, null]) expect(notificationSchema.safeParse(wrong).success).toBe(false);
  });

  it("of stock leads to a report", () => {
    const body = {
      accountId: "7a11c0de-0000-4000-8000-000000000001",
      stockType: "stock",
      reportType: "all",
      reportUrl: "https://api.example/r",
    };
    expect(stockNotificationSchema.parse(body)).toEqual(body);
  });

  it("has an id that is the same in every attempt", () => {
    expect(requestIdOf("/webhooks/secret?requestId=5f0c1d2e-0000-4000-8000-000000000001")).toBe("5f0c1d2e-0000-4000-8000-000000000001");
    expect(requestIdOf("https://shop.example/in?a=1&requestId=x%2Fy")).toBe("x/y");
    expect(requestIdOf("/webhooks/secret")).toBeUndefined();
  });

  it("comes from an agent of any version", () => {
    expect(isFromPlatform("Platform webhook touch agent 1.0 (https://platform.example)")).toBe(true);
    expect(isFromPlatform("Platform webhook touch agent 2.0 (https://platform.example)")).toBe(true);
    expect(isFromPlatform("curl/8")).toBe(false);
    expect(isFromPlatform(undefined)).toBe(false);
  });

  it("leads to each object once", () => {
    expect(objectsIn([event(1, "CREATE"), event(2, "UPDATE"), event(1, "DELETE")])).toEqual([event(1, "DELETE"), event(2, "UPDATE")]);
  });
});
