import { finishWaiting } from "../accounts/set-up.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import type { Accounts } from "./accounts.ts";

/** Tells the platform about installations that this start's configuration completes, for example by DEFAULT_REGISTER. */
export async function tellPlatform({ setUp }: Accounts, log: Log): Promise<void> {
  try {
    for (const { key, kind, problem } of await finishWaiting(setUp)) {
      if (kind === "failed") log.error({ ...key, problem }, "a waiting installation could not be looked at");
      else log.warn({ ...key, problem }, "an installation is complete and the platform was not told");
    }
  } catch (error) {
    log.error({ error: messageOf(error) }, "waiting installations could not be looked at");
  }
}
