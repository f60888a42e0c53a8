import type { Finding, Value } from "../../../journal/verify/finding.ts";

/** Returns the place and the fault of a row, for the operator. */
export function findingText({ table, row, entryId, fault }: Finding): string {
  const place = `${table} ${row}`;
  switch (fault.code) {
    case "missing":
      return table === "drive_readings" ? `${place}: was stored after entry ${entryId}, which is missing` : `${place}: is missing`;
    case "surplus":
      return `${place}: there is no entry ${entryId} to which it belongs`;
    case "unreadable":
      return `${place}: ${fault.problem}`;
    case "differs":
      return `${place}: ${fault.column} is ${shown(fault.stored)}, counted ${shown(fault.counted)}`;
    case "lacks":
      return `${place}: is ${fault.state} without ${fault.column}`;
    case "has":
      return `${place}: is ${fault.state} and has ${fault.column}`;
    case "illegal-move":
      return `${place}: no entry may go from ${fault.from ?? "nothing"} to ${fault.to}`;
    case "not-after":
      return `${place}: its number ${fault.number} does not follow ${fault.before}, the number of the move before it`;
    case "before-checkpoint":
      return `${place}: ФД ${fault.documentNumber} was made after the checkpoint, which already had ФД ${fault.checkpointNumber}`;
    case "two-answers":
      return `${place}: two answers are stored, and they differ`;
    case "repeated":
      return `${place}: only one entry may have it, and these do: ${fault.entries.join(", ")}`;
  }
}

function shown(value: Value): string {
  return value === null ? "nothing" : String(value);
}
