import { createSecureContext, getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../../src/kernel/clock.ts";
import type { AlertMessage } from "../../../src/messages/alert-channel.ts";
import { parseAlertChannels, parseChannels } from "../../../src/messages/setting.ts";
import { makeAuthority, makeCertificate } from "../../../src/tools/sandbox/api/listening/certificate.ts";
import { type FloodingMailServer, floodingMailServer } from "../../support/flooding-mail-server.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { unhurriedClock } from "../../support/unhurried-clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** The bound of a turn that handles 64 KB of empty lines, on the reference machine. */
const TURN_MS = 40;

const CODE = { email: "buyer@shop.example", purpose: "customer", code: "4711", text: "Код: 4711" };
const ALERT: AlertMessage = {
  at: "2026-11-29T09:00:00.000Z",
  kind: "doubt",
  state: "begins",
  account: null,
  store: null,
  register: null,
  subject: "A register has stopped",
  text: "A register has stopped",
};

function codeChannel(mail: FloodingMailServer, clock: Clock = unhurriedClock) {
  const parsed = parseChannels(`smtp://${mail.host}?from=shop@server.example`);
  const open = parsed.kind === "channels" ? parsed.open[0] : undefined;
  const channel = open?.({ dataDir: "", clock }) ?? expect.unreachable();
  onTestFinished(() => channel.close());
  return channel;
}

function alertChannel(mail: FloodingMailServer, clock: Clock = unhurriedClock) {
  const parsed = parseAlertChannels(`smtp://${mail.host}?from=alerts@server.example&to=operator@server.example`);
  const open = parsed.kind === "channels" ? parsed.operator[0] : undefined;
  const channel = open?.(clock) ?? expect.unreachable();
  onTestFinished(() => channel.close());
  return channel;
}

const TEXTS = { "empty lines": "\n", answers: "250 ok\r\n", "lines of one answer": "250-go on\r\n", "one line": "250 ok, ok, ok " };
const COMMANDS = ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "text"];
const FLOODS = Object.keys(TEXTS).flatMap((text) => COMMANDS.map((from) => [text, from] as const));

describe("a mail server that never stops sending", () => {
  it.each(FLOODS)("%s from %s on is cut off, and stops nothing", async (text, from) => {
    const mail = await floodingMailServer({ from, text: TEXTS[text as keyof typeof TEXTS] });
    const { cpuMs, allowedMs } = await longestTurnWithin(TURN_MS, TRIES, async () => {
      const channel = codeChannel(mail);
      const delivery = await channel.send(CODE);
      // Whole answers may end the conversation properly before the bound does.
      if (text !== "answers") expect(delivery).toEqual({ kind: "failed", problem: expect.stringContaining("sent more than 65536 bytes") });
      await expect.poll(() => mail.open).toBe(0);
    });
    expect(cpuMs).toBeLessThan(allowedMs);
    expect(mail.opened).toBeLessThanOrEqual(TRIES);
  });

  it.each(["greeting", "EHLO"])("from %s on is cut off when doctor asks it", async (from) => {
    const mail = await floodingMailServer({ from, text: "\n" });
    expect(await codeChannel(mail).problem()).toContain("sent more than 65536 bytes");
    await expect.poll(() => mail.open).toBe(0);
  });

  it.each(["EHLO", "RCPT"])("from %s on is cut off inside TLS too", async (from) => {
    const mail = await floodingMailServer({ from, text: "\n", secure: await trusted() });
    expect(await codeChannel(mail).send(CODE)).toMatchObject({ problem: expect.stringContaining("sent more than 65536 bytes") });
    await expect.poll(() => mail.open).toBe(0);
  });
});

describe("a mail server that does not answer", () => {
  const CALLS = {
    "a code": { limitMs: 3_000, call: (mail: FloodingMailServer, clock: VirtualClock) => codeChannel(mail, clock).send(CODE) },
    "an alert": { limitMs: 10_000, call: (mail: FloodingMailServer, clock: VirtualClock) => alertChannel(mail, clock).send(ALERT) },
    "a question of doctor": { limitMs: 3_000, call: (mail: FloodingMailServer, clock: VirtualClock) => codeChannel(mail, clock).problem() },
  };

  it.each(Object.keys(CALLS))("has no more than the time of %s, and its connection is closed then", async (name) => {
    const { limitMs, call } = CALLS[name as keyof typeof CALLS];
    const mail = await floodingMailServer({ from: "EHLO", text: "" });
    const clock = new VirtualClock(0);
    const calling = call(mail, clock);
    await expect.poll(() => mail.reached).toBe(1);
    await clock.advance(limitMs);
    expect(JSON.stringify(await calling)).toContain(`no answer within ${limitMs} ms`);
    await expect.poll(() => mail.open).toBe(0);
  });
});

describe("a mail server as there are many", () => {
  it("takes more letters than one connection carries, over TLS", async () => {
    const mail = await floodingMailServer({ from: "never", text: "", secure: await trusted() });
    const channel = codeChannel(mail);
    expect(await channel.problem()).toBeUndefined();
    for (let letter = 1; letter <= 45; letter += 1) expect(await channel.send(CODE)).toEqual({ kind: "sent" });
    expect(mail.letters).toBe(45);
    expect(mail.opened).toBe(4);
    channel.close();
    await expect.poll(() => mail.open).toBe(0);
  });
});

/** A certificate that this process trusts until the end of the test. */
async function trusted() {
  const { key, cert, ca } = await makeCertificate(systemClock, await makeAuthority(systemClock), ["127.0.0.1"]);
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, ca]);
  onTestFinished(() => setDefaultCACertificates(before));
  return createSecureContext({ key, cert });
}
