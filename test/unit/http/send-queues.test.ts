import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { queueIn, readSendQueues } from "../../../src/http/connection/send-queues.ts";

/** Lines of proc(5) on a machine that stores the lowest byte first. */
const line = (addresses: string, queue = "0000A000:00000000") =>
  `  12: ${addresses} 01 ${queue} 00:00000000 00000000     0        0 6933 1 00000000a366e7a4 100 0 0 10 0`;

describe("a line of the system's table of connections", () => {
  it.each([
    ["an IPv4 address", "0100007F:1F90 0200A8C0:C350", "8080 192.168.0.2 50000"],
    ["an IPv4 address in IPv6", "0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200A8C0:C350", "8080 192.168.0.2 50000"],
    ["an IPv6 address", "00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:0016", "8080 2001:db8::1 22"],
  ])("names %s, both ports and the bytes to send", (_name, addresses, key) => {
    expect(queueIn(line(addresses))).toEqual({ key, bytes: 40_960 });
  });

  it.each([
    ["the heading", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"],
    ["an empty line", ""],
    ["a connection with nothing to send", line("0100007F:1F90 0200A8C0:C350", "00000000:0000A000")],
    ["a line of another form", "12: 0100007F 0200A8C0 01"],
  ])("is left out where it is %s", (_name, text) => {
    expect(queueIn(text)).toBeUndefined();
  });
});

describe.runIf(process.platform === "linux")("the system", () => {
  it.each(["127.0.0.1", "::1"])("tells what a caller at %s has not taken", async (host) => {
    const arrived = Promise.withResolvers<Socket>();
    const server = createServer((socket) => arrived.resolve(socket)).listen(0, "::");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const caller = connect(address.port, host).pause();
    onTestFinished(() => void caller.destroy());
    const socket = await arrived.promise;
    onTestFinished(() => void socket.destroy());
    expect((await readSendQueues())?.bytesOf(socket)).toBe(0);
    socket.write(Buffer.alloc(8 * 1024 * 1024));
    // The caller's system takes at most the half of it.
    const left = (await readSendQueues())?.bytesOf(socket) ?? 0;
    expect(left).toBeGreaterThan(64 * 1024);
  });
});
