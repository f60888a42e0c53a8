import { expect, it, onTestFinished } from "vitest";
import { dialWebSocket } from "../../src/registers/agent/wire/web-socket.ts";
import { playServer } from "../support/agent-played-server.ts";

it("a frame that comes with the handshake waits for whoever listens to the new connection", async () => {
  const server = await playServer();
  onTestFinished(() => server.close());
  const socket = await dialWebSocket(`${server.address}/connect`);
  // The event loop has read the frame when the round trip of a ping on another connection is over.
  const other = await dialWebSocket(`${server.address}/connect`);
  await new Promise<void>((alive) => {
    other.listen({ frame() {}, alive, closed() {} });
    other.ping();
  });
  const frame = await new Promise<string>((resolve) =>
    socket.listen({ frame: resolve, alive() {}, closed: (code) => resolve(String(code)) }),
  );
  expect(JSON.parse(frame)).toMatchObject({ challenge: "nonce-1" });
});
