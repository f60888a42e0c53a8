import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { queueIn, readSendQueues } from "../../../src/http/connection/send-queues.ts";

/** Lines of proc(5) on a machine that stores the lowest byte first. */
const line = (addresses: string, queue = "0000A000:00000000") =>
  `  12: ${addresses} 01 ${queue} 00:00000000 00000000     0        0 6933 1 00000000a366e7a4 100 0 0 10 0`;

describe("a line of the system's table of connections", () => {
  it.each([
    ["an IPv4 address", "0100007F:1F90 0200A8C0:C350", "127.0.0.1 8080 192.168.0.2 50000"],
    [
      "an IPv4 address in IPv6",
      "0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200A8C0:C350",
      "127.0.0.1 8080 192.168.0.2 50000",
    ],
    ["an IPv6 address", "00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:0016", "::1 8080 2001:db8::1 22"],
  ])("names %s at both ends, both ports and the bytes to send", (_name, addresses, key) => {
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

  it("keeps apart the connections of one caller to several addresses from one port", async () => {
    const sockets: Socket[] = [];
    const arrived = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      if (sockets.push(socket) === 2) arrived.resolve();
    }).listen(0, "0.0.0.0");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const first = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.9" }).pause();
    onTestFinished(() => void first.destroy());
    await once(first, "connect");
    const second = connect({ port, host: "127.0.0.2", localAddress: "127.0.0.9", localPort: first.localPort ?? 0 }).pause();
    onTestFinished(() => void second.destroy());
    await arrived.promise;
    for (const socket of sockets) onTestFinished(() => void socket.destroy());
    const [full, empty] = sockets.toSorted((a, b) => String(a.localAddress).localeCompare(String(b.localAddress)));
    if (full === undefined || empty === undefined) throw new Error("too few connections");
    full.write(Buffer.alloc(8 * 1024 * 1024));
    const queues = await readSendQueues();
    expect([empty.localAddress, queues?.bytesOf(empty)]).toEqual(["127.0.0.2", 0]);
    expect(queues?.bytesOf(full)).toBeGreaterThan(64 * 1024);
  });
});
