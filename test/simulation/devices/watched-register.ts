import type { Reached, Register, RegisterState } from "../../../src/registers/register.ts";
import type { Life } from "../life.ts";
import type { LaboratoryDrive } from "./laboratory.ts";
import type { DeviceSurroundings } from "./surroundings.ts";

/**
 * The register, with each call as an await of the process's life. The laboratory drive learns what is being made. The
 * status may state the number that it has stated before, although the drive has newer documents.
 */
export function watched(register: Register, life: Life, drive: LaboratoryDrive, { chance, troubles }: DeviceSurroundings): Register {
  const told = (seen: Reached<RegisterState>): Reached<RegisterState> => {
    if (seen.kind === "unreachable") return seen;
    const { lastDocumentNumber } = seen.value;
    if (lastDocumentNumber === drive.toldNumber || !chance.happens(troubles().oldNumber)) drive.toldNumber = lastDocumentNumber;
    return { kind: "reached", value: { ...seen.value, lastDocumentNumber: drive.toldNumber } };
  };
  return {
    identity: (deadline) => life.pass("identity", () => register.identity(deadline)),
    inspect: (deadline) => life.pass("inspect", async () => told(await register.inspect(deadline))),
    perform: (document, deadline, attempt) =>
      life.pass("perform", () => {
        drive.asking(document);
        return register.perform(document, deadline, attempt);
      }),
    lookUp: (number, deadline) => life.pass("look-up", () => register.lookUp(number, deadline)),
    abandon: (deadline) => life.pass("abandon", () => register.abandon(deadline)),
    close: () => register.close(),
  };
}
