import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { OPERATOR } from "../../src/accounts/audit.ts";
import type { InstallationKey } from "../../src/accounts/installation.ts";
import { dataFolder, storeIdentity } from "../../src/agent/folder/data-folder.ts";
import { makeKey } from "../../src/agent/folder/key.ts";
import { Enrolment } from "../../src/agents/enrolment.ts";
import { countStart } from "../../src/agents/identity.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";

/** An account whose shops sell nothing. */
export const FLEET_ACCOUNT: InstallationKey = {
  appId: "00000000-0000-4000-8000-000000000001",
  accountId: "22222222-2222-4222-8222-222222222222",
};

export interface Enrolled {
  name: string;
  /** The data folder of the agent. */
  data: string;
}

/** Enrols an agent for each name, with a data folder in `root`. `url`: the address of the server, ending in `/agents`. */
export async function enrolAgents(
  store: Store,
  key: InstallationKey,
  { names, root, url }: { names: readonly string[]; root: string; url: string },
): Promise<Enrolled[]> {
  const [clock, chance] = [systemClock, systemChance];
  const { id: server } = await countStart({ store, clock, chance });
  const enrolment = new Enrolment({ store, clock, chance });
  return Promise.all(
    names.map(async (name) => {
      const data = join(root, name);
      mkdirSync(data, { recursive: true });
      const folder = dataFolder(data);
      const { publicKey } = makeKey(folder.key);
      const issued = await enrolment.issue({ name, key, minutes: 15, replace: false, actor: OPERATOR });
      if (issued.kind !== "issued") throw new Error(`no code for ${name}: ${issued.kind}`);
      const enrolled = await enrolment.enrol({ code: issued.code, publicKey, version: "1.0.0", host: "shop" }, "127.0.0.1");
      if (enrolled.kind !== "enrolled") throw new Error(`${name} was not enrolled: ${enrolled.kind}`);
      storeIdentity(folder, { agent: enrolled.agent, name, server, url });
      return { name, data };
    }),
  );
}

export function fleetNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `fleet-${index}`);
}
