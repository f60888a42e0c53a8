import type { Socket } from "node:net";

/**
 * Drops the bytes that a socket has received, and reads no more. Removes every listener: listeners refer to the request, which must not
 * stay in memory while the socket stays open.
 */
export function readNoMore(socket: Socket): Socket {
  // Without this line, reading the buffered bytes would request more bytes from the system.
  socket._read = () => {};
  socket.read();
  socket.removeAllListeners();
  return socket.on("readable", () => void socket.read()).on("error", () => socket.destroy());
}
