import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { ReverseProxy } from "../../simulation/fleet/reverse-proxy.ts";
import { missingProgram } from "../../support/missing-program.ts";
import { temporaryFolder } from "../../support/server-process.ts";

const HALVES = 20;
/** A body that fills no buffer of the proxy. */
const BODY = "x".repeat(8 * 1024);
const HEAD = ["POST /fiscal/1/retaildemand HTTP/1.1", "Host: a", `Content-Length: ${BODY.length}`, "", ""].join("\r\n");

const missing = missingProgram("haproxy");

it.skipIf(missing !== undefined)(
  `the proxy of the compose file keeps half requests to itself and passes on a whole one beside them${missing ?? ""}`,
  async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      request.resume().once("end", () => response.end("whole"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const proxy = new ReverseProxy(temporaryFolder(), [{ port: (server.address() as AddressInfo).port }]);
    await proxy.start();
    onTestFinished(() => proxy.stop());
    const halves = await Promise.all(Array.from({ length: HALVES }, () => sent(proxy, HEAD + BODY.slice(1))));
    const whole = await sent(proxy, HEAD + BODY);
    const [answer] = await once(whole, "data");
    expect(String(answer)).toContain(" 200 ");
    expect(asked.filter((path) => path.startsWith("/fiscal"))).toHaveLength(1);
    for (const half of halves) {
      half.write("x");
      const [late] = await once(half, "data");
      expect(String(late)).toContain(" 200 ");
    }
  },
);

/** A connection to the proxy, when these bytes have left. */
async function sent({ base }: ReverseProxy, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(bytes);
  while (socket.writableLength > 0) await nextTurn();
  return socket;
}
