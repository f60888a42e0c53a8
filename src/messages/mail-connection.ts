import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";

/** Ends a step of the stream, with the error if the step failed. */
type End = (error?: Error | null) => void;

/**
 * A connection to a mail server. The server may send at most `maxBytes` over the whole connection, including the bytes of TLS. More bytes
 * destroy the connection with an error. The mail library bounds a single answer, but neither empty lines nor the number of answers.
 */
export class MailConnection extends Duplex {
  readonly #socket: Socket;

  constructor({ host, port, maxBytes }: { host: string; port: number; maxBytes: number }) {
    super();
    this.#socket = connect({ host, port });
    this.#socket.on("data", (bytes) => {
      if (this.#socket.bytesRead > maxBytes) this.destroy(new Error(`the mail server has sent more than ${maxBytes} bytes`));
      else if (!this.push(bytes)) this.#socket.pause();
    });
    this.#socket.on("end", () => this.push(null));
    this.#socket.on("error", (error) => this.destroy(error));
    this.#socket.on("timeout", () => this.emit("timeout"));
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, written: End): void {
    this.#socket.write(bytes, written);
  }

  override _final(ended: End): void {
    this.#socket.end(ended);
  }

  override _destroy(error: Error | null, destroyed: End): void {
    this.#socket.destroy();
    destroyed(error);
  }

  /** The library calls the following methods of a socket. */
  setTimeout(delayMs: number): this {
    this.#socket.setTimeout(delayMs);
    return this;
  }

  setKeepAlive(isOn: boolean, firstAfterMs: number): this {
    this.#socket.setKeepAlive(isOn, firstAfterMs);
    return this;
  }

  setNoDelay(isOn: boolean): this {
    this.#socket.setNoDelay(isOn);
    return this;
  }
}
