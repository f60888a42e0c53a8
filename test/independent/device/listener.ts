import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { codeOf } from "../protocol/bytes.ts";
import { ACK, ENQ, frameOf, lrcOf, NAK, STX } from "../protocol/frame.ts";
import { carryOut } from "./commands.ts";
import type { IndependentRegister } from "./register.ts";

/**
 * What happens at the next command of this code. `before`: the connection is cut, and the command is not carried out. `after-kept`: it is
 * cut after the command, and the answer is kept for the next ENQ (shtrih-protocol 1.5, PENDING). `after-forgotten`: the device restarts
 * after the command and forgets the answer (shtrih-protocol 1.5). `silent`: nothing is cut, but the answer is lost for good.
 */
export type Cut = { readonly command: string; readonly how: "before" | "after-kept" | "after-forgotten" | "silent" };

/** The longest time between two bytes of a frame. shtrih-protocol 1.1 says 50 or 100 ms, but a loaded machine is slower than a wire. */
const byteGapMs = 500;

/** The device's end of the line: the automaton of shtrih-protocol 1.5 over TCP. State belongs to the device, not to a connection. */
export class Listener {
  readonly #register: IndependentRegister;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #frame: number[] | undefined;
  #lastByteMs = 0;
  #pending: Buffer | undefined;
  readonly #cuts: Cut[] = [];
  readonly cutsMade: Cut[] = [];

  private constructor(register: IndependentRegister, server: Server) {
    this.#register = register;
    this.#server = server;
  }

  static async start(register: IndependentRegister): Promise<Listener> {
    const server = createServer();
    const listener = new Listener(register, server);
    server.on("connection", (socket) => listener.#serve(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return listener;
  }

  get address(): { readonly host: string; readonly port: number } {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the device does not listen");
    return { host: address.address, port: address.port };
  }

  cut(cut: Cut): void {
    this.#cuts.push(cut);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      for (const byte of chunk) this.#take(byte, socket);
    });
  }

  #take(byte: number, socket: Socket): void {
    const now = performance.now();
    if (now - this.#lastByteMs > byteGapMs) this.#frame = undefined;
    this.#lastByteMs = now;
    if (this.#frame !== undefined) this.#receive(byte, this.#frame, socket);
    else if (byte === STX) this.#frame = [];
    else if (byte === ENQ) this.#enquired(socket);
    else if (byte === ACK) this.#pending = undefined;
  }

  #enquired(socket: Socket): void {
    if (this.#pending === undefined) socket.write(Buffer.of(NAK));
    else socket.write(Buffer.concat([Buffer.of(ACK), this.#pending]));
  }

  #receive(byte: number, frame: number[], socket: Socket): void {
    frame.push(byte);
    const [length = 0] = frame;
    if (frame.length < length + 2) return;
    this.#frame = undefined;
    const data = Buffer.from(frame.slice(1, -1));
    if (length === 0 || lrcOf(data) !== byte) socket.write(Buffer.of(NAK));
    else this.#execute(data, socket);
  }

  #execute(data: Buffer, socket: Socket): void {
    const at = this.#cuts.findIndex((cut) => cut.command === codeOf(data));
    const [cut] = at < 0 ? [] : this.#cuts.splice(at, 1);
    if (cut === undefined) {
      this.#pending = frameOf(carryOut(this.#register, data));
      socket.write(Buffer.concat([Buffer.of(ACK), this.#pending]));
      return;
    }
    this.cutsMade.push(cut);
    if (cut.how !== "before") this.#pending = frameOf(carryOut(this.#register, data));
    if (cut.how === "after-forgotten") this.#register.restart();
    if (cut.how === "after-forgotten" || cut.how === "silent") this.#pending = undefined;
    if (cut.how === "silent") socket.write(Buffer.of(ACK));
    else socket.destroy();
  }
}
