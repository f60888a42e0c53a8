import type { Agent, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { CLOSE, MAX_FRAME_BYTES, SUBPROTOCOL } from "./protocol.ts";
import type { WireListener, WireSocket } from "./wire-socket.ts";

const HANDSHAKE_LIMIT_MS = 10_000;
const BROKEN_OFF = 1006;
/** The limit of received bytes before a connection is trusted. A hello needs less than half of these bytes. */
const MAX_STRANGER_BYTES = 32 * 1024;
/**
 * The limit of pieces from the network before a connection is trusted: the allowed bytes in pieces of 512 bytes. No real network makes
 * smaller pieces. Each piece costs hundreds of bytes until its frame is whole, and a thousand untrusted connections may send together.
 */
const MAX_STRANGER_PIECES = MAX_STRANGER_BYTES / 512;
/**
 * The limit of frames, pings and pongs before a connection is trusted. An agent sends one frame, its hello, and a proxy may ping. Without
 * this limit the allowed bytes could contain five thousand pings, and each ping is answered.
 */
const MAX_STRANGER_FRAMES = 4;
/**
 * The limit of fragments (of the WebSocket protocol) in a frame, because each fragment costs memory. Agents send whole frames. A proxy that
 * splits frames makes fragments of some kilobytes.
 */
const MAX_FRAGMENTS = 128;
/** The limit of network pieces in a frame: the longest frame in pieces of 512 bytes. */
const MAX_FRAME_PIECES = MAX_FRAME_BYTES / 512;

/** An accepted connection. Before the connection is trusted, it is terminated when it sends more than a hello needs. */
interface UpgradedSocket extends WireSocket {
  /** Makes the connection trusted: the limits before this call no longer apply. */
  trust(): void;
}

interface DialOptions {
  /** CA certificates, PEM, instead of those that Node knows. */
  ca?: string;
  /** The node:http agent of the connection, for a proxy. */
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
      // The server's first frame may have arrived with the handshake. The pause keeps this frame until a listener is set.
      socket.pause();
      resolve(new LibrarySocket(socket));
    });
  });
}

/** Upgrades HTTP requests to connections. Compression is off, because the few small frames of a sale gain nothing from it. */
export class WebSocketDoor {
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    clientTracking: false,
    // Handles only one frame or ping in each turn of the event loop, because one piece from the network may contain ten thousand of them.
    allowSynchronousEvents: false,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_FRAME_PIECES,
    // A request for another subprotocol is refused before there is a connection, so no connection has to be counted and ended.
    verifyClient: ({ req }, answer) =>
      offers(req, SUBPROTOCOL) ? answer(true) : answer(false, 400, `only the subprotocol ${SUBPROTOCOL} is spoken here`),
    handleProtocols: () => SUBPROTOCOL,
  });

  /** Answers an upgrade. Calls `connected` after a handshake with this wire's subprotocol. Otherwise answers with an error. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, connected: (socket: UpgradedSocket) => void): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => connected(new LibrarySocket(socket, stream)));
  }
}

function offers({ headers }: IncomingMessage, protocol: string): boolean {
  const offered = headers["sec-websocket-protocol"] ?? "";
  return offered.split(",").some((one) => one.trim() === protocol);
}

/**
 * Terminates an untrusted connection that sends too many bytes, pieces or frames. The returned function ends these limits. If the
 * connection closes while it is untrusted, the memory of its pieces is freed at the library's event `close`, because the library reads the
 * pieces until then. If this memory waited for the garbage collector, callers that reconnect hundreds of times a second would make the
 * memory of a quiet server grow by more than half.
 */
function boundStranger(socket: WebSocket, stream: Duplex): () => void {
  let [bytes, frames] = [0, 0];
  let pieces: Buffer[] = [];
  const end = () => {
    // The library would read all frames that have arrived, one in each turn of the event loop, even after the connection has closed. But it
    // stops at a frame whose first byte has reserved bits. So all pieces are overwritten with such bytes.
    for (const piece of pieces) piece.fill(RESERVED_BITS);
    socket.terminate();
  };
  const countBytes = (piece: Buffer) => {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > MAX_STRANGER_BYTES || pieces.length > MAX_STRANGER_PIECES) end();
  };
  const countFrame = () => {
    frames += 1;
    if (frames > MAX_STRANGER_FRAMES) end();
  };
  const release = () => {
    for (const { buffer, byteLength } of pieces)
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0);
    pieces = [];
  };
  stream.on("data", countBytes);
  for (const kind of FRAME_EVENTS) socket.on(kind, countFrame);
  socket.once("close", release);
  return () => {
    stream.off("data", countBytes);
    for (const kind of FRAME_EVENTS) socket.off(kind, countFrame);
    socket.off("close", release);
    pieces = [];
  };
}

const FRAME_EVENTS = ["message", "ping", "pong"] as const;
/** A byte that cannot begin a frame. */
const RESERVED_BITS = 0xff;

/**
 * A connection of the library. Its methods belong to the class and not to each object, because a server has thousands of idle connections.
 */
class LibrarySocket implements UpgradedSocket {
  readonly #socket: WebSocket;
  #listener: WireListener | undefined;
  #endBound: (() => void) | undefined;

  /** `stranger`: the stream of an untrusted connection, whose bytes are limited. */
  constructor(socket: WebSocket, stranger?: Duplex) {
    this.#socket = socket;
    if (stranger !== undefined) this.#endBound = boundStranger(socket, stranger);
    // The listener of `error` is set here, because an error without a listener ends the process. The event `close` follows every error and
    // informs the `WireListener`. An untrusted connection that breaks the protocol is terminated immediately.
    socket.on("error", () => {
      if (this.#endBound !== undefined) socket.terminate();
    });
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
    let isMalformed = false;
    socket.on("message", (data, isBinary) => {
      // Until the peer answers the close frame, its frames still arrive.
      if (isMalformed) return;
      this.#listener?.alive();
      isMalformed = isBinary;
      if (isBinary) socket.close(CLOSE.malformed, "binary frame");
      else this.#listener?.frame(String(data));
    });
    const alive = () => this.#listener?.alive();
    socket.on("ping", alive);
    socket.on("pong", alive);
    socket.once("close", (code, reason) => this.#listener?.closed(code, reason.toString("utf8")));
    socket.resume();
    if (socket.readyState === WebSocket.CLOSED) queueMicrotask(() => this.#listener?.closed(BROKEN_OFF, ""));
  }
}
