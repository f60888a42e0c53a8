import { systemClock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type Application, compose, type Loss } from "./compose.ts";
import { type Config, readConfig } from "./config.ts";
import { createLog } from "./logging.ts";

/** Time for what is at a device to end: a long receipt prints for a minute and a half. Then the process ends all the same. */
const STOP_LIMIT_MS = 100_000;

/** The process, as far as starting and stopping need it. */
export interface Host {
  /** Calls back at the first request to stop. */
  onStop(callback: (signal: string) => void): void;
  onCrash(callback: (error: unknown) => void): void;
  complain(line: string): void;
  exit(code: number): void;
}

/** Starts the server and sees to its end. A wrong configuration or a held lock ends it with one line a cause. */
export async function run(host: Host): Promise<void> {
  const config = configuration(host);
  if (config === undefined) return;
  const log = createLog({ level: config.logLevel });
  host.onCrash((error) => {
    log.error(
      { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined },
      "the process fails; the next start settles what was open",
    );
    host.exit(1);
  });
  const ending = new Ending(host, log);
  const application = await started(host, config, log, ending);
  if (application === undefined) return;
  ending.start(application);
  host.onStop((signal) => ending.asked(signal));
}

/** How the server ends: when it is asked to, or when what it stands on is gone. */
class Ending {
  readonly #host: Host;
  readonly #log: Log;
  #application: Application | undefined;
  #lost = false;
  #stopping = false;

  constructor(host: Host, log: Log) {
    this.#host = host;
    this.#log = log;
  }

  start(application: Application): void {
    this.#application = application;
    if (this.#lost) this.#stop(application);
  }

  asked(signal: string): void {
    // A terminal and npm both pass the signal on: the second one asks for nothing new.
    if (this.#stopping || this.#application === undefined) return;
    this.#log.info({ signal }, "stopping");
    this.#stop(this.#application);
  }

  /** With the lock gone nobody may go on; with the journal gone what is at a register ends, and its till is told. */
  lost({ kind, reason }: Loss): void {
    this.#lost = true;
    if (kind === "lock") {
      this.#log.error({ reason }, "the lock of the database is lost: another server may have it now");
      this.#host.exit(1);
      return;
    }
    this.#log.error({ reason }, "the journal was taken away or overwritten under the running server: it registers nothing more and ends");
    if (this.#application !== undefined && !this.#stopping) this.#stop(this.#application);
  }

  #stop(application: Application): void {
    this.#stopping = true;
    void stop(application, this.#log).then((code) => this.#host.exit(this.#lost ? 1 : code));
  }
}

function configuration(host: Host): Config | undefined {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    host.complain(error.message);
    host.exit(1);
    return undefined;
  }
}

async function started(host: Host, config: Config, log: Log, ending: Ending): Promise<Application | undefined> {
  try {
    const application = await compose(config, log, (loss) => ending.lost(loss));
    const address = await application.listen();
    log.info({ address, pid: process.pid, dataDir: config.dataDir }, "listening");
    return application;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    host.complain(error.message);
    host.exit(1);
    return undefined;
  }
}

async function stop(application: Application, log: Log): Promise<number> {
  try {
    const ended = await waitUntil(systemClock, deadlineIn(systemClock, STOP_LIMIT_MS), application.close());
    if (ended.kind === "finished") {
      log.info({}, "stopped");
      return 0;
    }
    log.error({}, "a register did not finish in time; the next start settles what it was sent");
  } catch (error) {
    log.error({ error: messageOf(error) }, "stopping failed");
  }
  return 1;
}
