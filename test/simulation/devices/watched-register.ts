import type { Register } from "../../../src/registers/register.ts";
import type { Life } from "../life.ts";
import type { LaboratoryDrive } from "./laboratory.ts";

/** The register with each call an await of the process's life; the laboratory learns what is being made. */
export function watched(register: Register, life: Life, drive: LaboratoryDrive): Register {
  return {
    identity: (deadline) => life.pass("identity", () => register.identity(deadline)),
    inspect: (deadline) => life.pass("inspect", () => register.inspect(deadline)),
    perform: (document, deadline) =>
      life.pass("perform", () => {
        drive.asking(document);
        return register.perform(document, deadline);
      }),
    lookUp: (number, deadline) => life.pass("look-up", () => register.lookUp(number, deadline)),
    abandon: (deadline) => life.pass("abandon", () => register.abandon(deadline)),
    close: () => register.close(),
  };
}
