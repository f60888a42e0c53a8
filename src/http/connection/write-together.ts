import type { Socket } from "node:net";

/** Gives several pieces to the system at once. Calls `done` when the system has taken all of them. */
export function writeTogether(
  socket: Socket,
  pieces: readonly { chunk: Buffer; encoding: BufferEncoding }[],
  done: (error?: Error | null) => void,
): void {
  socket.cork();
  for (const [index, { chunk, encoding }] of pieces.entries()) {
    if (index < pieces.length - 1) socket.write(chunk, encoding);
    else socket.write(chunk, encoding, done);
  }
  socket.uncork();
}
