import type { Exchange } from "../../../src/tools/sandbox/caller/call.ts";
import { readErrors } from "../../../src/tools/sandbox/caller/fiscal-answer.ts";

/** Counts the answers that tills get through the proxy. */
export class HeardAnswers {
  readonly #counts = new Map<string, number>();

  /**
   * Returns true for an answer after which a till sends again: a page of the proxy itself, or the answer of a server that has lost its
   * database, or that was asked to end before the proxy noticed.
   */
  note(exchange: Exchange): boolean {
    const isOfProxy = exchange.kind === "answer" && exchange.contentType.startsWith("text/html") && exchange.status >= 500;
    const name = nameOf(exchange, isOfProxy);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return isOfProxy || name === "500/50500" || name === "503/503";
  }

  toString(): string {
    return [...this.#counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, count]) => `${count} × ${name}`)
      .join(", ");
  }
}

function nameOf(exchange: Exchange, isOfProxy: boolean): string {
  if (exchange.kind === "no-answer") return "none";
  if (isOfProxy) return `proxy ${exchange.status}`;
  if (exchange.status === 200) return "200";
  return `${exchange.status}/${readErrors(exchange.body)[0]?.code ?? "?"}`;
}
