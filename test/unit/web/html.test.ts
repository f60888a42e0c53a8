import { describe, expect, it } from "vitest";
import { dayAndHour, roubles } from "../../../src/web/amounts.ts";
import { html } from "../../../src/web/html.ts";
import { languageOf } from "../../../src/web/language.ts";

describe("markup", () => {
  it("shows texts as text, whatever signs they hold, also between quotes of an attribute", () => {
    const name = `<img src=x onerror="alert(1)"> & 'co'`;
    const made = html`<p title="${name}">${name}</p>`.toString();
    expect(made).not.toMatch(/<img|"alert|'co'/);
    expect(made).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;co&#39;</p>");
  });

  it("takes other markup and lists of it as they are, numbers as digits, and leaves nothing for what is absent", () => {
    const rows = ["a", "<b>"].map((one) => html`<li>${one}</li>`);
    expect(html`<ul>${rows}</ul>${undefined}${7}${[1, undefined, ["x"]]}`.toString()).toBe("<ul><li>a</li><li>&lt;b&gt;</li></ul>71x");
  });
});

describe("what people read", () => {
  it("has sums and times as they are written in Russia", () => {
    expect(roubles(123_450)).toBe("1\u00a0234,50\u00a0₽");
    expect(roubles(-123_456_00)).toBe("-123\u00a0456,00\u00a0₽");
    expect(roubles(-5)).toBe("-0,05\u00a0₽");
    expect(roubles(123_456_789_00)).toBe("123\u00a0456\u00a0789,00\u00a0₽");
    expect(dayAndHour("2026-11-27 14:05:59")).toBe("27.11.2026 14:05");
  });

  it("is in the language of the window, else of the browser, else in Russian", () => {
    expect([languageOf("en_US", "ru"), languageOf("ru_RU", "en"), languageOf(undefined, "en-GB,en;q=0.9")]).toEqual(["en", "ru", "en"]);
    expect([languageOf("xx", undefined), languageOf(undefined, "de")]).toEqual(["ru", "ru"]);
  });
});
