import type { Bench } from "./register-bench.ts";
import { Trial } from "./registers.ts";

/**
 * A register whose status may be older than its drive. Once told to lie, it repeats the number of the newest document
 * that it stated last. `isSilent`: it does not answer when a document is looked up.
 */
export interface OldNumber {
  trial: Trial;
  lie(): void;
  tellTheTruth(): void;
  isSilent: boolean;
}

export async function oldNumberAt(scheme: string): Promise<OldNumber> {
  const honest = await Trial.begin(scheme);
  const { register } = honest.bench;
  let told = 0;
  let lies = false;
  const lying: OldNumber = {
    trial: honest,
    lie() {
      lies = true;
    },
    tellTheTruth() {
      lies = false;
    },
    isSilent: false,
  };
  const bench: Bench = {
    ...honest.bench,
    register: {
      identity: (deadline) => register.identity(deadline),
      async inspect(deadline) {
        const seen = await register.inspect(deadline);
        if (seen.kind === "unreachable") return seen;
        if (!lies) told = seen.value.lastDocumentNumber;
        return { kind: "reached", value: { ...seen.value, lastDocumentNumber: told } };
      },
      perform: (document, deadline) => register.perform(document, deadline),
      lookUp: async (number, deadline) =>
        lying.isSilent ? { kind: "unreachable", reason: "касса занята" } : register.lookUp(number, deadline),
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    },
  };
  lying.trial = await Trial.on(async () => bench, honest.clock);
  return lying;
}
