import { describe, expect, it, onTestFinished } from "vitest";
import type { AlertMessage } from "../../../src/messages/alert-channel.ts";
import { ownerChannelOf, parseAlertChannels } from "../../../src/messages/setting.ts";
import { alertReceiver, mailServer } from "../../support/alert-takers.ts";
import { unhurriedClock } from "../../support/unhurried-clock.ts";

const MESSAGE: AlertMessage = {
  at: "2026-11-29T09:00:00.000Z",
  kind: "doubt",
  state: "begins",
  account: "account-1",
  store: "store-7",
  register: "emulator:one",
  subject: "Касса остановилась: «Пекарня»",
  text: "Касса остановилась: «Пекарня»\nЧто делать: …\n\nA register has stopped\n",
};

function opened(setting: string) {
  const parsed = parseAlertChannels(setting);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  const operator = parsed.operator.map((open) => open(unhurriedClock));
  const owner = parsed.owner?.(unhurriedClock);
  onTestFinished(() => {
    for (const channel of [...operator, owner]) channel?.close();
  });
  return { operator, owner };
}

describe("the setting of alerts", () => {
  it.each([
    ["none", 0, false],
    ["https://alerts.example/in?key=1,2", 1, false],
    ["smtp://user:p%2Cass@mail.example:2525?from=a@b.example&to=c@d.example", 1, true],
    ["smtp://mail.example?from=a@b.example", 0, true],
    ["https://alerts.example/in, smtp://mail.example?from=a@b.example&to=c@d.example", 2, true],
  ])("%s names %i channels to the operator; to owners: %s", (setting, count, hasOwner) => {
    const { operator, owner } = opened(setting);
    expect([operator.length, owner !== undefined]).toEqual([count, hasOwner]);
  });

  it.each([
    "",
    "file",
    "http://alerts.example/in",
    "https://user:secret@alerts.example/in",
    "smtp://u:secret@mail.example?to=c@d.example",
    "smtp://u:secret@mail.example?from=a@b.example&to=nobody",
    "smtp://u:secret@mail.example?from=a@b.example&to=c@d.example,e@f.example",
    "smtp://u:secret@mail.example?from=a@b.example&to=c@d.example%0d%0aBcc:all@evil.example",
    "smtp://u:secret@mail.example?from=a@b.example&cc=e@f.example",
    "smtp://u:%secret@mail.example?from=a@b.example",
    `${"https://u.example/secret,".repeat(4)}none`,
  ])("%s is refused in words, without its secrets", (setting) => {
    const parsed = parseAlertChannels(setting);
    expect(parsed).toEqual({ kind: "invalid", problem: expect.stringMatching(/[a-z]{4}/) });
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });

  it("takes the mail server of verification codes for owners where it has none of its own", () => {
    const mail = "smtp://mail.example?from=a@b.example";
    expect(ownerChannelOf("none", "file")).toBeUndefined();
    expect(ownerChannelOf("https://alerts.example/in", "none,https://sms.example/send")).toBeUndefined();
    expect(ownerChannelOf("https://alerts.example/in", `https://sms.example/send,${mail}`)).toBeDefined();
    expect(ownerChannelOf(mail, "file")).toBeDefined();
  });
});

describe("a letter", () => {
  it("goes to the operator, or to the owner and nobody else", async () => {
    const mail = await mailServer();
    const { operator, owner } = opened(`smtp://${mail.host}?from=alerts@server.example&to=operator@server.example`);
    expect(await operator[0]?.send(MESSAGE)).toEqual({ kind: "sent" });
    expect(await owner?.send(MESSAGE, "owner@shop.example")).toEqual({ kind: "sent" });
    expect(await owner?.send(MESSAGE)).toEqual({ kind: "no-address" });
    expect(mail.letters.map(({ recipients }) => recipients)).toEqual([["operator@server.example"], ["owner@shop.example"]]);
    expect(mail.letters[0]).toMatchObject({ subject: MESSAGE.subject, text: expect.stringContaining(MESSAGE.text.trim()) });
  });

  it.each(["\r\n", "\n", "\r"])("has the same headers and recipients whatever stands in its words (%j)", async (end) => {
    const mail = await mailServer();
    const { owner } = opened(`smtp://${mail.host}?from=alerts@server.example`);
    const injected = `Пекарня${end}Bcc: all@evil.example${end}X-Evil: 1${end}${end}another text`;
    await owner?.send({ ...MESSAGE, subject: injected, text: `${injected}${end}.${end}QUIT${end}` }, "owner@shop.example");
    const [letter] = mail.letters;
    expect(mail.letters).toHaveLength(1);
    expect(letter?.recipients).toEqual(["owner@shop.example"]);
    expect(letter?.headers.filter((header) => /^(bcc|x-evil)/i.test(header))).toEqual([]);
  });

  it("that the server does not take is a failure, and doctor finds a server that is away", async () => {
    const mail = await mailServer();
    const { owner } = opened(`smtp://${mail.host}?from=alerts@server.example`);
    expect(await owner?.problem()).toBeUndefined();
    mail.works = false;
    expect(await owner?.send(MESSAGE, "owner@shop.example")).toMatchObject({ kind: "failed", problem: expect.stringContaining("451") });
    mail.words = "busy ".repeat(100_000);
    const failed = await owner?.send(MESSAGE, "owner@shop.example");
    expect(failed?.kind === "failed" && failed.problem.length).toBeLessThanOrEqual(500);
    const away = opened("smtp://user:secret@127.0.0.1:1?from=alerts@server.example&to=operator@server.example");
    const [channel] = away.operator;
    expect(await channel?.problem()).toMatch(/ECONNREFUSED/);
    expect(await channel?.send(MESSAGE)).toMatchObject({ kind: "failed", problem: expect.not.stringContaining("secret") });
  });
});

describe("an https address", () => {
  it("gets exactly the members of the interface, and no owner's message", async () => {
    const receiver = await alertReceiver();
    const [channel] = opened(receiver.address).operator;
    expect(await channel?.send(MESSAGE)).toEqual({ kind: "sent" });
    expect(await channel?.send(MESSAGE, "owner@shop.example")).toEqual({ kind: "no-address" });
    const { subject: _subject, ...body } = MESSAGE;
    expect(receiver.taken).toEqual([body]);
    expect(Object.keys(receiver.taken[0] ?? {})).toEqual(["at", "kind", "state", "account", "store", "register", "text"]);
  });

  it.each([500, 404, 301])("that answers %i has not got it", async (status) => {
    const receiver = await alertReceiver();
    receiver.status = status;
    const [channel] = opened(receiver.address).operator;
    const delivery = await channel?.send(MESSAGE);
    expect(delivery).toMatchObject({ kind: "failed" });
    expect(JSON.stringify(delivery)).not.toContain("of-the-operator");
  });
});
