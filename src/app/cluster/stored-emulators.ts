import { Failure } from "../../kernel/failure.ts";
import type { Accounts } from "../accounts.ts";

/**
 * Refuses a database in which a point of sale has an emulator as its register: the emulator's memory lies in the folder of one process, so
 * no other process could go on with it.
 */
export async function refuseStoredEmulators({ installations, settings }: Pick<Accounts, "installations" | "settings">): Promise<void> {
  for (const installation of await installations.list()) {
    if (installation.state === "uninstalled") continue;
    const { accountId } = installation;
    for (const { storeId, name, shown } of await settings.list(installation)) {
      if (name !== "register" || !shown.startsWith("emulator:")) continue;
      const where = `the point of sale ${storeId} of the account ${accountId}`;
      throw new Failure("configuration", "caller", `CLUSTER_URL expects no emulator: address, and ${where} has ${shown}: use \`emulate\``);
    }
  }
}
