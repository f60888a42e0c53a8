import { systemClock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import type { Loss } from "./cluster/resources.ts";
import { type Application, compose } from "./compose.ts";
import { type Config, readConfig } from "./config.ts";
import { createLog } from "./logging.ts";

/**
 * How long a stopping server waits for work at devices. A long receipt prints for a minute and a half. When the limit is over, the process
 * ends anyway.
 */
const STOP_LIMIT_MS = 100_000;

/** What starting and stopping need from the process. */
export interface Host {
  onStop(callback: (signal: string) => void): void;
  onCrash(callback: (error: unknown) => void): void;
  complain(line: string): void;
  exit(code: number): void;
}

/**
 * Starts the server, and ends it after a signal or a loss. A `Failure` at the start, such as a wrong configuration or a held lock, ends the
 * process with a line for each cause.
 */
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
  host.onStop((signal) => ending.asked(signal));
  const application = await started(host, config, ending.calm(log), ending);
  if (application !== undefined) ending.start(application);
}

/** Ends the server after a request to stop, or after the loss of its lock or database. */
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

  /**
   * The log of the application. After the loss of the lock or the journal, errors are logged as warnings: they follow from the loss, which
   * has its own line with the level `error`.
   */
  calm(log: Log): Log {
    return {
      trace: (values, text) => log.trace(values, text),
      debug: (values, text) => log.debug(values, text),
      info: (values, text) => log.info(values, text),
      warn: (values, text) => log.warn(values, text),
      error: (values, text) => (this.#lost ? log.warn(values, text) : log.error(values, text)),
    };
  }

  start(application: Application): void {
    this.#application = application;
    if (this.#lost || this.#stopping) this.#stop(application);
  }

  asked(signal: string): void {
    // A terminal and npm both pass the signal on, so a second signal repeats the same request.
    if (this.#stopping) return;
    this.#stopping = true;
    this.#log.info({ signal }, "stopping");
    if (this.#application !== undefined) this.#stop(this.#application);
    // No request was answered yet. The next start continues what this start had begun.
    else this.#host.exit(0);
  }

  /**
   * After the loss of the lock the process ends immediately. After the loss of the journal, running work at a register may finish, and its
   * till gets an answer.
   */
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
    void stop(application, this.calm(this.#log)).then((code) => this.#host.exit(this.#lost ? 1 : code));
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
