import type { Agent, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { CLOSE, MAX_FRAME_BYTES, SUBPROTOCOL } from "./protocol.ts";
import type { WireListener, WireSocket } from "./wire-socket.ts";

/** The limit for the handshake of HTTP and TLS. */
const HANDSHAKE_LIMIT_MS = 10_000;
const BROKEN_OFF = 1006;
/** What a connection may send before it is trusted. A hello takes less than half of it. */
const MAX_STRANGER_BYTES = 32 * 1024;

/** A connection that a stranger has opened. It is broken off when it sends more than a hello can need. */
interface UpgradedSocket extends WireSocket {
  /** From now on it may send as much as it wants. */
  trust(): void;
}

/** How a connection to a server is made. */
interface DialOptions {
  /** Certificates of authorities, PEM, instead of those of the system. */
  ca?: string;
  /** The agent of node:http through which the connection is made, for a proxy. */
  agent?: Agent;
}

/** Connects to a server. Rejects with the error of the network, of TLS or of the handshake (`Unexpected server response: 426`). */
export function dialWebSocket(url: string, { ca, agent }: DialOptions = {}): Promise<WireSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, SUBPROTOCOL, {
      perMessageDeflate: false,
      maxPayload: MAX_FRAME_BYTES,
      handshakeTimeout: HANDSHAKE_LIMIT_MS,
      followRedirects: false,
      ...(ca === undefined ? {} : { ca }),
      ...(agent === undefined ? {} : { agent }),
    });
    const fail = (error: Error) => reject(error);
    socket.once("error", fail);
    socket.once("open", () => {
      socket.off("error", fail);
      // The server's first frame may have come with the handshake. It must wait for the listener.
      socket.pause();
      resolve(new LibrarySocket(socket));
    });
  });
}

/** Turns upgraded HTTP requests into connections. Compression is off, because a small frame per sale gains nothing by it. */
export class WebSocketDoor {
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });

  /** Answers an upgrade. `connected` is called when the handshake is complete; otherwise the request is answered with an error. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, connected: (socket: UpgradedSocket) => void): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const opened = new LibrarySocket(socket, stream);
      if (socket.protocol === SUBPROTOCOL) connected(opened);
      else socket.close(CLOSE.protocol, SUBPROTOCOL);
    });
  }
}

/** Counts the bytes of a stream until the returned function is called. */
function boundBytes(stream: Duplex, exceeded: () => void): () => void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_STRANGER_BYTES) exceeded();
  };
  stream.on("data", count);
  return () => stream.off("data", count);
}

/** A connection of the library. It is one object without closures, because a server has thousands of connections that wait. */
class LibrarySocket implements UpgradedSocket {
  readonly #socket: WebSocket;
  #listener: WireListener | undefined;
  #endBound: (() => void) | undefined;

  /** `stranger`: the stream of a connection that may send no more than a hello needs until it is trusted. */
  constructor(socket: WebSocket, stranger?: Duplex) {
    this.#socket = socket;
    if (stranger !== undefined) this.#endBound = boundBytes(stranger, () => socket.terminate());
  }

  send(frame: string): boolean {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(frame);
    return true;
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  close(code: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  trust(): void {
    this.#endBound?.();
    this.#endBound = undefined;
  }

  listen(listener: WireListener): void {
    const isFirst = this.#listener === undefined;
    this.#listener = listener;
    if (isFirst) this.#begin();
  }

  #begin(): void {
    const socket = this.#socket;
    socket.on("message", (data, isBinary) => {
      this.#listener?.alive();
      if (isBinary) socket.close(CLOSE.malformed, "binary frame");
      else this.#listener?.frame(String(data));
    });
    const alive = () => this.#listener?.alive();
    socket.on("ping", alive);
    socket.on("pong", alive);
    // The event `close` follows, and it tells the listener.
    socket.on("error", ignored);
    socket.once("close", (code, reason) => this.#listener?.closed(code, reason.toString("utf8")));
    socket.resume();
    if (socket.readyState === WebSocket.CLOSED) queueMicrotask(() => this.#listener?.closed(BROKEN_OFF, ""));
  }
}

function ignored(): void {}
