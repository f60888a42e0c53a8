import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface, type Interface } from "node:readline";
import { startCommand } from "../../support/running-command.ts";
import type { Line } from "./child-process.ts";

/** The emulator answers at once, but a busy machine may let it wait. */
const answerMs = 30_000;

export type Emulator = {
  readonly address: { readonly host: string; readonly port: number };
  readonly control: Control;
  readonly close: () => Promise<void>;
};

/** Starts the project's emulator, as emulator-surface describes it. The tests know of it only its two ports and what it prints. */
export const startEmulator = async (...options: readonly string[]): Promise<Emulator> => {
  const place = ["--listen", "tcp://127.0.0.1:0", "--control", "127.0.0.1:0"];
  const command = await startCommand("emulate", "shtrih-m", ...place, ...options);
  const ready: Line = JSON.parse(command.ready);
  const url = new URL(String(ready.address).replace("shtrih-m+tcp:", "http:"));
  const [host = "", port = ""] = String(ready.control).split(":");
  const control = await Control.open(host, Number(port));
  const close = async () => {
    control.close();
    await command.end();
  };
  return { address: { host: url.hostname, port: Number(url.port) }, control, close };
};

/** The control port. Each line of JSON that is sent is answered by one line of JSON. */
export class Control {
  readonly #socket: Socket;
  readonly #lines: Interface;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    this.#lines = createInterface({ input: socket });
  }

  static async open(host: string, port: number): Promise<Control> {
    const socket = connect(port, host);
    await once(socket, "connect", { signal: AbortSignal.timeout(answerMs) });
    return new Control(socket);
  }

  async ask(request: Line): Promise<Line> {
    const line = once(this.#lines, "line", { signal: AbortSignal.timeout(answerMs) });
    this.#socket.write(`${JSON.stringify(request)}\n`);
    const answer: Line = JSON.parse(String((await line)[0]));
    return answer;
  }

  close(): void {
    this.#socket.destroy();
  }
}
