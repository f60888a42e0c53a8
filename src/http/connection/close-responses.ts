import type { ServerResponse } from "node:http";

/**
 * Tells everybody who waits for these responses that the connection has gone. After CONNECT or an upgrade Node does not tell them,
 * because it no longer knows the responses that were waiting for an earlier response.
 */
export function closeResponses(responses: Iterable<ServerResponse>): void {
  for (const response of responses) {
    response.destroy();
    response.emit("close");
  }
}
