import { systemClock } from "../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../kernel/deadline.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type Application, compose } from "./compose.ts";
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
  const application = await started(host, config, log);
  if (application === undefined) return;
  let stopping = false;
  host.onStop((signal) => {
    // A terminal and npm both pass the signal on: the second one asks for nothing new.
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    void stop(application, log).then(host.exit);
  });
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

async function started(host: Host, config: Config, log: Log): Promise<Application | undefined> {
  try {
    const application = await compose(config, log, (reason) => {
      log.error({ reason }, "the lock of the database is lost: another server may have it now");
      host.exit(1);
    });
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
