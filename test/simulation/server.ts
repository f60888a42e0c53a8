import type { JournalStore } from "../../src/journal/journal.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import { Recovery } from "../../src/operations/recover.ts";
import type { OperationServices, StoreRules } from "../../src/operations/services.ts";
import { Operations } from "../../src/operations/submit.ts";
import { parseAddress } from "../../src/registers/catalogue.ts";
import type { SimulatedDevice } from "./devices/device.ts";
import type { Life } from "./life.ts";
import { type Mutation, mutatedJournal } from "./mutation.ts";
import { mutatedRegister } from "./mutation-register.ts";

/** One process of the server. */
export interface Server {
  life: Life;
  operations: Operations;
}

export interface ServerParts {
  clock: Clock;
  store: JournalStore;
  device: SimulatedDevice;
  rules: StoreRules;
  mutation: Mutation | undefined;
}

/** Starts the server as `app/compose` does, from the journal down to the register; every await of it is one of its life. */
export function serverOf(life: Life, { clock, store, device, rules, mutation }: ServerParts): Server {
  const register = mutatedRegister(mutation, device.registerOf(life));
  const services: OperationServices = {
    journal: mutatedJournal(mutation, { store, clock }),
    clock,
    log: silentLog,
    registers: { parse: parseAddress, at: () => register },
    defaultRegister: device.address,
    rulesOf: () => life.pass("settings", async () => rules),
    drivesOf: () => "test",
    draw: ({ facts }) => life.pass("draw", async () => Buffer.from(JSON.stringify(facts))),
    observe: () => {},
  };
  const lanes = new Lanes();
  const operations = new Operations(services, lanes);
  new Recovery(services, lanes).start();
  return { life, operations };
}
