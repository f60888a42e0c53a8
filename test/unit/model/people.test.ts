import { describe, expect, it } from "vitest";
import { cashierNameOf } from "../../../src/model/cashier.ts";
import { chooseContact, normaliseEmail, normalisePhone } from "../../../src/model/contact.ts";

describe("the cashier's name on paper", () => {
  it("is the surname with initials", () => {
    expect(cashierNameOf({ lastName: "Иванова", firstName: "Мария", middleName: "Петровна" })).toBe("Иванова М.П.");
    expect(cashierNameOf({ lastName: " Petrova ", firstName: "olga" })).toBe("Petrova O.");
    expect(cashierNameOf({ lastName: "Иванова" })).toBe("Иванова");
  });

  it("is the first and middle name where there is no surname, and nothing where there is nothing", () => {
    expect(cashierNameOf({ firstName: "Мария", middleName: "Петровна" })).toBe("Мария Петровна");
    expect(cashierNameOf({ id: "3e3e7a10", firstName: " " })).toBeUndefined();
    expect(cashierNameOf(undefined)).toBeUndefined();
  });

  it("is at most 64 characters of the drive's code page", () => {
    const name = cashierNameOf({ lastName: "Ы".repeat(200), firstName: "Я" });
    expect(name).toHaveLength(64);
  });
});

describe("a phone number", () => {
  it("becomes + and digits", () => {
    expect(normalisePhone("8 (900) 000-00-00")).toBe("+79000000000");
    expect(normalisePhone("79000000000")).toBe("+79000000000");
    expect(normalisePhone("+7 900 000 00 00")).toBe("+79000000000");
    expect(normalisePhone("9000000000")).toBe("+79000000000");
    expect(normalisePhone("+375 29 0000000")).toBe("+375290000000");
    expect(normalisePhone("00375290000000")).toBe("+375290000000");
  });

  it("is no number when it has letters, too few or too many digits", () => {
    for (const text of ["12345", "900000", "+7900000000x", "+1234567890123456", "доб. 12"]) expect(normalisePhone(text)).toBeUndefined();
  });
});

describe("an e-mail address", () => {
  it("keeps its name and lowers its domain", () => {
    expect(normaliseEmail("Ivan.Petrov+shop@Mail.Example.RU")).toBe("Ivan.Petrov+shop@mail.example.ru");
  });

  it("is none without a name, a domain with a dot, or within 64 bytes", () => {
    for (const text of [
      "ivan",
      "@example.ru",
      "ivan@example",
      "i van@example.ru",
      "иван@пример.рф",
      `${"a".repeat(60)}@example.ru`,
      "a@b@c.ru",
    ]) {
      expect(normaliseEmail(text), text).toBeUndefined();
    }
  });
});

describe("the one contact on the receipt", () => {
  const both = { phone: "+79000000000", email: "ivan@example.ru" };

  it("is the kind that the point of sale prefers", () => {
    expect(chooseContact(both, "email")).toEqual({ contact: "ivan@example.ru", dropped: [] });
    expect(chooseContact(both, "phone")).toEqual({ contact: "+79000000000", dropped: [] });
    expect(chooseContact(both, "none")).toEqual({ dropped: [] });
  });

  it("is the other kind where the preferred one is empty or wrong", () => {
    expect(chooseContact({ ...both, email: "" }, "email")).toEqual({ contact: "+79000000000", dropped: [] });
    expect(chooseContact({ ...both, email: "no" }, "email")).toEqual({ contact: "+79000000000", dropped: ["email"] });
    expect(chooseContact({ phone: "1", email: "2" }, "phone")).toEqual({ dropped: ["phone", "email"] });
  });
});
