import type { ServerResponse } from "node:http";

/** The content type of every JSON answer, errors included (platform-contracts 7). */
export const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Answers with JSON. A Buffer is sent unchanged, so that a stored answer is repeated byte for byte. Does nothing when the caller has closed
 * the connection or an answer was begun.
 */
export function answerJson(response: ServerResponse, status: number, body: Buffer | object): void {
  answerBytes(response, status, JSON_TYPE, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
}

/** Answers with an error that belongs to no contract, in the form that most contracts use. */
export function answerProblem(response: ServerResponse, status: number, error: string, errorMessage: string): void {
  answerJson(response, status, { errors: [{ error, code: status, error_message: errorMessage }] });
}

/** Answers without content: 204, or another status with an empty body. */
export function answerEmpty(response: ServerResponse, status: number): void {
  if (!isOpen(response)) return;
  response.statusCode = status;
  if (status !== 204) response.setHeader("Content-Length", 0);
  response.end();
}

/** Answers with the given bytes. Several answers may share the same bytes. */
export function answerBytes(response: ServerResponse, status: number, contentType: string, bytes: Buffer): void {
  if (!isOpen(response)) return;
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
}

/**
 * Closes the connection of an answer that was begun and cannot be ended, because its handler has failed. Otherwise the caller would wait
 * for the rest. Does nothing after a whole answer, or when no answer was begun.
 */
export function breakOffBegun(response: ServerResponse): void {
  if (response.headersSent && !response.writableEnded) response.destroy();
}

function isOpen(response: ServerResponse): boolean {
  return !response.headersSent && !response.writableEnded && !response.destroyed;
}
