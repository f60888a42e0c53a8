import type { JournalStore } from "../../src/journal/journal.ts";
import type { Clock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { RegisterDocument } from "../../src/model/document.ts";
import { Lanes } from "../../src/operations/lanes.ts";
import { Recovery } from "../../src/operations/recover.ts";
import { RefusalBound } from "../../src/operations/refusal-bound.ts";
import type { OperationServices, StoreRules } from "../../src/operations/services.ts";
import { Operations } from "../../src/operations/submit.ts";
import { parseAddress, REGISTER_PROTOCOLS } from "../../src/registers/catalogue.ts";
import type { ParsedAddress } from "../../src/registers/protocol.ts";
import { Rack } from "../../src/registers/rack.ts";
import type { Register } from "../../src/registers/register.ts";
import { sameChance } from "../support/register-bench.ts";
import type { SimulatedDevice } from "./devices/device.ts";
import type { Life } from "./life.ts";
import { type Mutation, mutatedJournal } from "./mutation.ts";
import { mutatedRegister, recalling } from "./mutation-register.ts";

/** One process of the server. */
export interface Server {
  life: Life;
  operations: Operations;
  /** Whether an operation is under way at its register. */
  isBusy(): boolean;
}

export interface ServerParts {
  clock: Clock;
  store: JournalStore;
  device: SimulatedDevice;
  rules: StoreRules;
  mutation: Mutation | undefined;
  /** Called with the lines of the log at level error. */
  errors(text: string): void;
  /** Called with each document before the register gets it. */
  sending(document: RegisterDocument): Promise<void>;
  /** Returns a new id for an attempt. */
  attemptId(): string;
}

/** Starts the server as `app/compose` does, from the journal down to the register. Every await of the server is an await of its life. */
export function serverOf(life: Life, { clock, store, device, rules, mutation, errors, sending, attemptId }: ServerParts): Server {
  const rack = rackOf(clock, mutatedRegister(mutation, announced(device.registerOf(life), sending)));
  const services: OperationServices = {
    journal: mutatedJournal(mutation, { store, clock }),
    clock,
    // Attempts must never share an id.
    chance: { ...sameChance, uuid: attemptId },
    refusals: new RefusalBound({ clock, log: silentLog, observe: () => {} }),
    log: { ...silentLog, error: (_: unknown, text?: string) => errors(text ?? "") },
    registers: rack,
    defaultRegister: device.address,
    rulesOf: () => life.pass("settings", async () => rules),
    drivesOf: () => "test",
    draw: ({ facts }) => life.pass("draw", async () => Buffer.from(JSON.stringify(facts))),
    lookUp: async () => ({ scale: "pinned" }),
    observe: () => {},
    returnedMore: () => {},
  };
  const lanes = new Lanes();
  const operations = new Operations(services, lanes);
  new Recovery(services, lanes, () => rack.silent()).start();
  return { life, operations, isBusy: () => lanes.isBusy(device.address) };
}

function announced(register: Register, sending: ServerParts["sending"]): Register {
  return {
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: async (document, deadline, attempt) => {
      await sending(document);
      return register.perform(document, deadline, attempt);
    },
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
    ...recalling(register),
  };
}

/** The server's rack, in which every address leads to the one register of this world. */
function rackOf(clock: Clock, register: Register): Rack {
  const parse = (text: string): ParsedAddress => {
    const parsed = parseAddress(text);
    if (parsed.kind !== "address") return parsed;
    // A claim of the device is a lock of this machine. A simulated death would not free it, so the world has locks of its
    // own.
    const { ambiguous: _, ...address } = parsed.address;
    return { ...parsed, address: { ...address, open: () => register } };
  };
  const protocols = REGISTER_PROTOCOLS.map((protocol) => ({ ...protocol, parse }));
  return new Rack({ clock, chance: sameChance, dataDir: "nowhere", note: () => {} }, protocols);
}
