import { createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";

/** The way of an agent to its server through a proxy. A new connection goes to the process that is the target at this moment. */
export class AgentWay {
  /** The process to which the next connection goes. */
  target: ServerProcess;
  /** Called with what a process sends to the agent. Frames to an agent are not masked, so they can be read. */
  heard: (text: string) => void = () => {};
  readonly #sockets = new Set<Socket>();
  #port = 0;

  private constructor(target: ServerProcess) {
    this.target = target;
  }

  static async open(target: ServerProcess): Promise<AgentWay> {
    const way = new AgentWay(target);
    const server = createServer((near) => way.#join(near));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const place = server.address();
    if (place === null || typeof place === "string") throw new Error("the way has no port");
    way.#port = place.port;
    onTestFinished(() => {
      way.cut();
      server.close();
    });
    return way;
  }

  /** The address at which an agent is enrolled. */
  get url(): string {
    return `ws://127.0.0.1:${this.#port}/agents`;
  }

  /** Resolves when a process sends this text to the agent. */
  sends(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.heard = (heard) => {
        if (!heard.includes(text)) return;
        this.heard = () => {};
        resolve();
      };
    });
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    const far = dial({ host: "127.0.0.1", port: Number(new URL(this.target.base).port) });
    near.pipe(far);
    far.on("data", (bytes: Buffer) => {
      this.heard(bytes.toString("latin1"));
      near.write(bytes);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
