import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createMailServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../../src/kernel/clock.ts";
import { type MessageChannel, SEND_LIMIT_MS, sendByFirst } from "../../../src/messages/channel.ts";
import { parseChannels } from "../../../src/messages/setting.ts";
import { unhurriedClock } from "../../support/unhurried-clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const MESSAGE = { phone: "+79039993344", email: "buyer@shop.example", purpose: "spending", code: "482913", text: "код 482913" };

function opened(setting: string, clock: Clock = unhurriedClock): { channels: MessageChannel[]; dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), "messages-"));
  const parsed = parseChannels(setting);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  const channels = parsed.open.map((open) => open({ dataDir, clock }));
  onTestFinished(() => {
    for (const channel of channels) channel.close();
    rmSync(dataDir, { recursive: true });
  });
  return { channels, dataDir };
}

async function provider(status: number): Promise<{ address: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.statusCode = status;
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = server.address();
  return { address: `http://127.0.0.1:${typeof place === "object" ? place?.port : ""}/send`, bodies };
}

describe("the setting of code channels", () => {
  it.each([
    ["none", 0],
    ["file", 1],
    ["smtp://user:p%2Cass@mail.example:2525?from=shop@shop.example", 1],
    ["https://sms.example/send?key=1,2", 1],
    ["https://sms.example/send, smtp://mail.example?from=a@b.example,file", 3],
  ])("%s names %i", (setting, count) => {
    expect(parseChannels(setting)).toMatchObject({ kind: "channels", open: expect.objectContaining({ length: count }) });
  });

  it.each([
    "",
    "fax",
    "http://sms.example/send",
    "smtp://mail.example",
    "smtp://u:secret@mail.example?from=nobody",
    "ftp://u:secret@x.example",
    "file,file,file,file,file",
  ])("%s is refused, without its secrets", (setting) => {
    const parsed = parseChannels(setting);
    expect(parsed.kind).toBe("invalid");
    expect(JSON.stringify(parsed)).not.toContain("secret");
  });
});

describe("the file", () => {
  it("gets one JSON line a code, and only its owner may read it", async () => {
    const { channels, dataDir } = opened("file");
    for (let time = 0; time < 2; time++) expect(await sendByFirst(channels, MESSAGE)).toEqual({ kind: "sent", channel: "file" });
    const file = join(dataDir, "codes.jsonl");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { phone: MESSAGE.phone, email: MESSAGE.email, purpose: "spending", code: "482913" },
      {},
    ]);
    expect(Object.keys(JSON.parse(lines[0] ?? ""))).toEqual(["at", "phone", "email", "purpose", "code"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("a provider of text messages", () => {
  it("gets phone and text", async () => {
    const { address, bodies } = await provider(204);
    expect(await sendByFirst(opened(address).channels, MESSAGE)).toEqual({ kind: "sent", channel: "https" });
    expect(bodies.map((body) => JSON.parse(body))).toEqual([{ phone: MESSAGE.phone, text: MESSAGE.text }]);
  });

  it("that refuses is passed over for the next channel, and whoever has no phone is none of its", async () => {
    const { address, bodies } = await provider(500);
    const { channels } = opened(`${address},file`);
    expect(await sendByFirst(channels, MESSAGE)).toEqual({ kind: "sent", channel: "file" });
    const { phone: _, ...withoutPhone } = MESSAGE;
    expect(await sendByFirst(channels, withoutPhone)).toEqual({ kind: "sent", channel: "file" });
    expect(bodies).toHaveLength(1);
    const alone = await sendByFirst(opened(address).channels, MESSAGE);
    expect(alone).toMatchObject({ kind: "failed", problem: expect.stringContaining("500") });
    expect(JSON.stringify(alone)).not.toContain(MESSAGE.code);
  });

  it("that cannot be reached is a failure with words", async () => {
    expect(await sendByFirst(opened("http://127.0.0.1:1/send").channels, MESSAGE)).toMatchObject({ kind: "failed" });
  });
});

/**
 * A mail server that greets, and answers the first command with a line that never is the last. So its connection is never idle. `spoken`
 * resolves with the first command.
 */
async function slowMailServer(): Promise<{ address: string; spoken: Promise<void> }> {
  const { promise: spoken, resolve } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createMailServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", () => {
      resolve();
      const goOn = () => socket.write("250-wait\r\n", () => void systemClock.after(100, goOn));
      goOn();
    });
    socket.write("220 mail.example\r\n");
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const place = server.address();
  return { address: `smtp://127.0.0.1:${typeof place === "object" ? place?.port : ""}?from=shop@shop.example`, spoken };
}

describe("a mail server", () => {
  it("that has not taken a code when the time of a channel is over is passed over for the next channel", async () => {
    const { address, spoken } = await slowMailServer();
    const clock = new VirtualClock(0);
    const sending = sendByFirst(opened(`${address},file`, clock).channels, MESSAGE);
    await spoken;
    await clock.advance(SEND_LIMIT_MS);
    expect(await sending).toEqual({ kind: "sent", channel: "file" });
  });
});
