import { INSTALLED } from "../../accounts/installation.ts";
import { isSimulated } from "../../cluster/cluster-schema.ts";
import { Failure } from "../../kernel/failure.ts";
import { acquirersInUse } from "../../operator/payments/acquirers-in-use.ts";
import type { Accounts } from "../accounts.ts";

/**
 * Throws `configuration` when a point of sale in the database has an emulator or the simulated acquirer. The memory of both is in one
 * process's folder, so no other process could use this memory.
 */
export async function refuseUnshared(accounts: Pick<Accounts, "installations" | "settings">): Promise<void> {
  const { installations, settings } = accounts;
  for (const installation of await installations.keys(INSTALLED)) {
    const { accountId } = installation;
    for (const { storeId, name, shown } of await settings.list(installation)) {
      if (name === "register" && shown.startsWith("emulator:")) throw unshared("emulator: address", { storeId, accountId }, shown);
    }
  }
  for (const { setting, places } of await acquirersInUse(accounts, undefined)) {
    const [place] = places;
    if (place !== undefined && isSimulated(setting)) throw unshared("simulated acquirer", place, setting);
  }
}

function unshared(what: string, { storeId, accountId }: { storeId: string; accountId: string }, setting: string): Failure {
  const where = `the point of sale ${storeId} of the account ${accountId}`;
  const instead = setting.startsWith("emulator:") ? "use `emulate`" : "use a bank, or acquirer=none";
  return new Failure("configuration", "caller", `CLUSTER_URL expects no ${what}, and ${where} has ${setting}: ${instead}`);
}
