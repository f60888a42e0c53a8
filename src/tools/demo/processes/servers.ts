import { Failure } from "../../../kernel/failure.ts";
import type { ServerProcess } from "./server-process.ts";

/** The servers of the demo: one, or several on one database. Each accepts any request. */
export class Servers {
  readonly all: readonly ServerProcess[];
  /** The server whose data folder and environment are used by commands. */
  readonly first: ServerProcess;
  #turn = 0;

  constructor(all: readonly ServerProcess[]) {
    const [first] = all;
    if (first === undefined) throw new Failure("demo", "fault", "the demo has no server");
    this.all = all;
    this.first = first;
  }

  get isSeveral(): boolean {
    return this.all.length > 1;
  }

  get running(): readonly ServerProcess[] {
    return this.all.filter(({ alive }) => alive);
  }

  get dead(): readonly ServerProcess[] {
    return this.all.filter(({ alive }) => !alive);
  }

  /** Returns the server for the next request. The running servers take turns, as behind a proxy. */
  next(): ServerProcess {
    const { running } = this;
    const found = running[this.#turn % running.length];
    if (found === undefined) throw new Failure("demo", "fault", "no server runs");
    this.#turn += 1;
    return found;
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((server) => server.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((server) => server.stop()));
  }

  async endForGood(): Promise<void> {
    await Promise.all(this.all.map((server) => server.endForGood()));
  }

  release(): void {
    for (const server of this.all) server.release();
  }

  tail(): string[] {
    return this.all.flatMap((server) => server.tail());
  }

  /** Returns a server's name for a note. A single server needs no number. */
  nameOf(server: ServerProcess): string {
    return this.isSeveral ? `server ${this.all.indexOf(server) + 1}` : "server";
  }
}
