import { describe, expect, it } from "vitest";
import { amountIsWrong } from "../../../../src/contracts/qrpay/failures.ts";

describe("the cashier's words for an amount that is not allowed", () => {
  it.each<[Parameters<typeof amountIsWrong>[0], string]>([
    [{}, "Такую сумму по QR провести нельзя. Проверьте сумму"],
    [{ mostKopecks: 100_000 }, "Можно до 1000.00 ₽."],
    [{ leastKopecks: 1, mostKopecks: 100_000 }, "Можно до 1000.00 ₽."],
    [{ leastKopecks: 1_000, mostKopecks: 100_000 }, "Можно от 10.00 до 1000.00 ₽."],
    [{ of: "cancellation", leastKopecks: 500, mostKopecks: 500 }, "Отменить можно только всю сумму: 5.00 ₽."],
    [{ of: "refund", leastKopecks: 100, mostKopecks: 50 }, "Осталось вернуть 0.50 ₽, а банк возвращает не меньше 1.00 ₽."],
    [{ of: "refund", leastKopecks: 1, mostKopecks: 0 }, "Возвращать больше нечего"],
    [{ of: "refund", leastKopecks: 100, mostKopecks: 0 }, "Возвращать больше нечего"],
    [{ of: "refund", leastKopecks: 1, mostKopecks: 1 }, "Вернуть можно только весь остаток: 0.01 ₽."],
    [{ of: "refund", leastKopecks: 100, mostKopecks: 500 }, "Такую сумму вернуть нельзя. Можно от 1.00 до 5.00 ₽. Проверьте сумму."],
  ])("of the bounds %j say what can be done", (bounds, words) => {
    const { status, code, message, parameter } = amountIsWrong(bounds);
    expect({ status, code, parameter }).toEqual({ status: 412, code: 1004, parameter: "amount" });
    expect(message).toContain(words);
  });
});
