import { describe, expect, it } from "vitest";
import { ACQUIRERS, acquirerNamed, parseAcquirer } from "../../../src/acquirers/catalogue.ts";

const accountOf = (setting: string) => {
  const parsed = parseAcquirer(setting);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  return parsed.account;
};

describe("a setting of an acquirer", () => {
  it("is one merchant's account, shown without secrets, in the order of the form", () => {
    const account = accountOf("yookassa?secretKey2=old-secret&secretKey=new-secret&shopId=100500");
    expect(account).toMatchObject({
      acquirer: "yookassa",
      merchant: "yookassa:100500",
      shown: "yookassa?shopId=100500&secretKey=***&secretKey2=***",
      secrets: ["new-secret", "old-secret"],
    });
    expect(accountOf("tbank?terminalKey=DemoTerm01&password=p")).toMatchObject({
      merchant: "tbank:DemoTerm01",
      shown: "tbank?terminalKey=DemoTerm01&password=***",
    });
    expect(accountOf("simulated")).toMatchObject({ merchant: "simulated", shown: "simulated", secrets: [] });
    expect(accountOf("simulated?expireAfterMs=5000&payAfterMs=0").shown).toBe("simulated?payAfterMs=0&expireAfterMs=5000");
  });

  it.each(
    ["secretKey", "secretKye", "secretkey", "secret", "secretKey2x"].flatMap((name) =>
      ["hush", "a&hush", "a&hush=b", "a&b&hush=c", "a&b=c&hush=d"].map((secret) => [`yookassa?shopId=1&${name}=${secret}&hush`]),
    ),
  )("never repeats a secret, even if its name has a slip and its & is not escaped: %s", (setting) => {
    expect(JSON.stringify(parseAcquirer(setting))).not.toContain("hush");
  });

  it("keeps its merchant when a password changes", () => {
    const merchants = ["password=one", "password=two&password2=one"].map((rest) => accountOf(`tbank?terminalKey=T&${rest}`).merchant);
    expect(new Set(merchants).size).toBe(1);
  });

  it.each([
    ["a%26b%3Dc%25", "a&b=c%"],
    ["a+b=c", "a+b=c"],
    ["50%off", "50%off"],
  ])("reads the password %s as %s", (written, password) => {
    expect(accountOf(`tbank?terminalKey=T&password=${written}`).secrets).toEqual([password]);
  });

  it.each([
    ["tbank", "terminalKey is missing, password is missing"],
    ["tbank?terminalKey=T", "password is missing"],
    ["tbank?terminalKey=T&password=", "password must be at most 256 Latin characters"],
    ["tbank?terminalKey=T/../x&password=hush", "terminalKey must be the key of the terminal"],
    ["tbank?terminalKey=T&password=hush&password=hush", "password is stated twice"],
    ["tbank?colour=red&terminalKey=T&password=hush", 'unknown: "colour"'],
    ["tbank?terminalKey=T&password=hush&hushTail=1", 'unknown: one after "password"'],
    ["tbank?terminalKey=T&password=hush&hushTail", 'unknown: one after "password"'],
    ["simulated?payAfterMs=soon", "payAfterMs must be a whole number"],
    ["simulated?payAfterMs=99999999", "payAfterMs must be a whole number"],
    ["yookassa?constructor=1&shopId=1&secretKey=hush", 'unknown: "constructor"'],
    [`tbank?terminalKey=T&password=${"hush".repeat(600)}`, "longer than 2048 characters"],
  ])("%s is refused without a secret in the words", (setting, words) => {
    const parsed = parseAcquirer(setting);
    expect(parsed).toMatchObject({ kind: "invalid", problem: expect.stringContaining(words) });
    expect(JSON.stringify(parsed)).not.toContain("hush");
  });

  it("of an unknown acquirer lists the known ones and repeats nothing", () => {
    const parsed = parseAcquirer("paypal?secretKey=hush");
    const problem = expect.stringMatching(/^unknown acquirer; known are simulated.*yookassa\?.*tbank\?.*none$/);
    expect(parsed).toMatchObject({ kind: "invalid", problem });
    expect(JSON.stringify(parsed)).not.toContain("hush");
  });

  it("draws a form by its parts", () => {
    expect(acquirerNamed("tbank")?.fields).toMatchObject([
      { name: "terminalKey", secret: false, required: true },
      { name: "password", secret: true, required: true },
      { name: "password2", secret: true, required: false },
    ]);
    expect(acquirerNamed("simulated")?.fields.every(({ required }) => !required)).toBe(true);
    const labels = ACQUIRERS.flatMap(({ fields }) => fields.map(({ label }) => label));
    expect(labels.every(({ ru, en }) => /[а-я]/.test(ru) && !/[а-я]/.test(en))).toBe(true);
  });

  it("is simulated for one acquirer only", () => {
    expect(ACQUIRERS.filter(({ simulated }) => simulated).map(({ name }) => name)).toEqual(["simulated"]);
  });
});
