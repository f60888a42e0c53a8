import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { helloText } from "../../src/registers/agent/wire/protocol.ts";
import type { WireSocket } from "../../src/registers/agent/wire/wire-socket.ts";

/** A pair of keys as an agent makes it in its shop. */
export function agentKeys(): { publicKey: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"), privateKey };
}

interface Played {
  agent: string;
  privateKey: KeyObject;
  epoch?: number;
  folder?: string;
  /** Members of the hello that replace the usual ones. */
  hello?: Record<string, unknown>;
}

type Frame = Record<string, unknown>;

/** An agent that the test plays frame by frame. */
export class AgentPlayer {
  readonly frames: Frame[] = [];
  readonly #socket: WireSocket;
  readonly #played: Required<Played>;
  #closed: { code: number; reason: string } | undefined;
  #wake: (() => void)[] = [];
  #read = 0;

  constructor(socket: WireSocket, played: Played) {
    this.#socket = socket;
    this.#played = { epoch: 0, folder: "folder-1", hello: {}, ...played };
    socket.listen({
      frame: (text) => {
        this.frames.push(JSON.parse(text));
        this.#stir();
      },
      alive: () => {},
      closed: (code, reason) => {
        this.#closed = { code, reason };
        this.#stir();
      },
    });
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** Returns the next frame of the server that was not read yet. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.frames[this.#read];
      if (frame !== undefined) {
        this.#read += 1;
        return frame;
      }
      if (this.#closed !== undefined) throw new Error(`closed: ${this.#closed.code} ${this.#closed.reason}`);
      await this.#stirred();
    }
  }

  /** Returns how the connection was closed. */
  async closed(): Promise<{ code: number; reason: string }> {
    while (this.#closed === undefined) await this.#stirred();
    return this.#closed;
  }

  /** Reads the challenge and says hello. */
  async sayHello(): Promise<void> {
    const { agent, privateKey, epoch, folder, hello } = this.#played;
    const { challenge, server } = await this.next();
    const parts = { agent, server: String(server), epoch, folder, boot: "boot-1", ...hello };
    const text = helloText({ nonce: String(challenge), ...parts });
    const signature = sign(null, Buffer.from(text, "utf8"), privateKey).toString("base64");
    const told = { version: "1.0.0", protocol: [1, 1], features: [], registers: [{ name: "main", scheme: "emulator" }] };
    this.send({ hello: { ...told, signature, ...parts } });
  }

  /** Connects as a real agent does, and returns the epoch of its welcome. */
  async connect(): Promise<number> {
    await this.sayHello();
    const { welcome } = (await this.next()) as { welcome: { epoch: number } };
    this.send({ ready: { epoch: welcome.epoch } });
    return welcome.epoch;
  }

  /** Answers questions about settled attempts with this list. Returns the first other call. */
  async nextCall(unsettled: string[] = []): Promise<Frame & { call: number }> {
    for (;;) {
      const frame = await this.next();
      if (!("call" in frame)) throw new Error(`no call: ${JSON.stringify(frame)}`);
      if (frame.do !== "settled") return { ...frame, call: Number(frame.call) };
      this.send({ answer: frame.call, result: { unsettled } });
    }
  }

  close(): void {
    this.#socket.close(1000);
  }

  #stirred(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
