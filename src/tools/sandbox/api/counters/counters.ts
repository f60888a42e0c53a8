import { createHash } from "node:crypto";
import type { Clock } from "../../../../kernel/clock.ts";
import type { Log } from "../../../../kernel/log.ts";
import type { Faults } from "../faults.ts";
import { AbuseCounters } from "./abuse.ts";
import { Connections } from "./connections.ts";

interface Answered {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly body: Buffer;
  /** The code of the first error. Undefined: the answer has no such code. */
  readonly code: number | undefined;
}

/** Counts answered requests, for client tests. */
export class Counters {
  readonly connections: Connections;
  readonly #abuse: AbuseCounters;
  readonly #faults: Faults;
  readonly #log: Log;
  readonly #statuses = new Map<number, number>();
  readonly #codes = new Map<number, number>();

  constructor(options: { clock: Clock; log: Log; faults: Faults }) {
    this.connections = new Connections(options.clock, options.log);
    this.#abuse = new AbuseCounters(options.clock);
    this.#faults = options.faults;
    this.#log = options.log;
  }

  answered({ method, url, status, body, code }: Answered): void {
    add(this.#statuses, status);
    if (code !== undefined) add(this.#codes, code);
    const [path = ""] = url.split("?");
    if (method === "PUT") this.#count("putsOfOneObject", path);
    if (status === 429) this.#count("tooManyRequests", "any");
    else if (status >= 400) this.#count("identicalFailures", `${method} ${path} ${digestOf(url, body)}`);
  }

  told(): object {
    return {
      connections: this.connections.told(),
      answersByStatus: Object.fromEntries(this.#statuses),
      errorsByCode: Object.fromEntries(this.#codes),
      abuse: this.#abuse.told(),
      faults: this.#faults.counts(),
    };
  }

  #count(...[abuse, what]: Parameters<AbuseCounters["count"]>): void {
    if (this.#abuse.count(abuse, what)) this.#log.warn({ abuse, what }, "the platform would switch off the access of this account");
  }
}

function add(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function digestOf(url: string, body: Buffer): string {
  return createHash("sha256").update(url).update("\n").update(body).digest("hex").slice(0, 12);
}
