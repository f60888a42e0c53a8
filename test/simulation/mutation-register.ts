import type { Register } from "../../src/registers/register.ts";
import type { Mutation } from "./mutation.ts";

/** The unchanged register, or one that answers its caller wrongly about a doubt. */
export function mutatedRegister(mutation: Mutation | undefined, register: Register): Register {
  switch (mutation) {
    case "doubt-is-refusal":
      return performing(register, async (document, deadline, attempt) => {
        const outcome = await register.perform(document, deadline, attempt);
        return outcome.kind === "in-doubt" ? { kind: "refused", refusal: { code: "not-registered" } } : outcome;
      });
    case "blind-repeat":
      return performing(register, async (document, deadline, attempt) => {
        const outcome = await register.perform(document, deadline, attempt);
        return outcome.kind === "in-doubt" ? register.perform(document, deadline, attempt) : outcome;
      });
    case "status-believed":
      return believing(register);
    default:
      return register;
  }
}

/** A register that denies every document with a higher number than the newest that its state has stated. */
function believing(register: Register): Register {
  let told = 0;
  return {
    ...performing(register, (document, deadline, attempt) => register.perform(document, deadline, attempt)),
    async inspect(deadline) {
      const seen = await register.inspect(deadline);
      if (seen.kind === "reached") told = seen.value.lastDocumentNumber;
      return seen;
    },
    lookUp: async (number, deadline) => (number > told ? { kind: "absent" } : register.lookUp(number, deadline)),
  };
}

function performing(register: Register, perform: Register["perform"]): Register {
  return {
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform,
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
    ...recalling(register),
  };
}

/** The record of attempts beside the device, when there is one. */
export function recalling(register: Register): Pick<Register, "recall"> {
  return register.recall === undefined ? {} : { recall: register.recall.bind(register) };
}
