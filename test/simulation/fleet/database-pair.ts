import { execFile } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../src/tools/demo/processes/free-port.ts";

const run = promisify(execFile);

const SCHEMA = "fleet";
const STANDBY_NAME = "standby";
/** PostgreSQL refuses to run as root. In that case its programs run as this user, which Debian's package makes. */
const USER = "postgres";
const COMMAND_LIMIT_MS = 60_000;

interface Place {
  folder: string;
  port: number;
}

/**
 * A PostgreSQL server with a synchronous standby, both on this machine and in a folder of their own. The primary can be lost, and then the
 * standby takes its place.
 */
export class DatabasePair {
  readonly #folder = mkdtempSync(join(tmpdir(), "fiscal-pair-"));
  readonly #programs: string;
  /** The places of the first primary and of its standby. */
  readonly #places: readonly [Place, Place];
  #isSwitched = false;

  private constructor(programs: string, ports: { primary: number; standby: number }) {
    this.#programs = programs;
    this.#places = [
      { folder: join(this.#folder, "primary"), port: ports.primary },
      { folder: join(this.#folder, STANDBY_NAME), port: ports.standby },
    ];
  }

  /** Starts both servers and waits until the standby follows. Rejects when PostgreSQL's programs are missing or one of them fails. */
  static async start(): Promise<DatabasePair> {
    const programs = globSync("/usr/lib/postgresql/*/bin").at(-1);
    if (programs === undefined) throw new Error("the programs of a PostgreSQL server are not installed");
    const pair = new DatabasePair(programs, { primary: await freePort(), standby: await freePort() });
    try {
      await pair.#begin();
    } catch (error) {
      await pair.drop();
      throw error;
    }
    return pair;
  }

  /** The present primary. */
  get options(): { kind: "postgres"; url: string; schema: string } {
    const [first, second] = this.#places;
    const { port } = this.#isSwitched ? second : first;
    return { kind: "postgres", url: `postgres://${USER}@127.0.0.1:${port}/postgres`, schema: SCHEMA };
  }

  /** Ends the primary so that it cannot send or write anything more. */
  async losePrimary(): Promise<void> {
    await this.#stop(this.#places[0]);
  }

  /** Makes the standby the primary. It has no standby of its own. */
  async promote(): Promise<void> {
    await this.#as("pg_ctl", "promote", "--pgdata", this.#places[1].folder, "--wait");
    this.#isSwitched = true;
  }

  async drop(): Promise<void> {
    for (const place of this.#places) if (existsSync(join(place.folder, "postmaster.pid"))) await this.#stop(place);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    chmodSync(this.#folder, 0o755);
    if (process.getuid?.() === 0) await run("chown", [USER, this.#folder]);
    const [first, second] = this.#places;
    const { folder, port } = first;
    await this.#as("initdb", "--pgdata", folder, "--username", USER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C");
    // A commit is answered when the standby has it. The setting is a command-line option, because the standby copies the
    // settings file.
    await this.#listen(first, [`-c synchronous_standby_names=${STANDBY_NAME}`]);
    const primary = `host=127.0.0.1 port=${port} user=${USER} application_name=${STANDBY_NAME}`;
    await this.#as("pg_basebackup", "--pgdata", second.folder, "--dbname", primary, "--write-recovery-conf", "--checkpoint=fast");
    await this.#listen(second);
  }

  async #listen({ folder, port }: Place, options: string[] = []): Promise<void> {
    const all = ["-c listen_addresses=127.0.0.1", `-c port=${port}`, `-c unix_socket_directories=${this.#folder}`, ...options];
    await this.#as("pg_ctl", "start", "--pgdata", folder, "--log", `${folder}.log`, "--wait", "--options", all.join(" "));
  }

  async #stop({ folder }: Place): Promise<void> {
    await this.#as("pg_ctl", "stop", "--pgdata", folder, "--mode", "immediate", "--wait");
  }

  async #as(program: string, ...args: string[]): Promise<void> {
    const command = [join(this.#programs, program), ...args];
    const [file = "", ...rest] = process.getuid?.() === 0 ? ["runuser", "-u", USER, "--", ...command] : command;
    await run(file, rest, { cwd: this.#folder, timeout: COMMAND_LIMIT_MS });
  }
}
