import type { Entry } from "../../journal/entry.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import type { FiscalFacts } from "../../model/facts.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { turnAt } from "../../operations/plan.ts";
import { READ_AROUND_A_RECEIPT } from "../../operations/reading-bounds.ts";
import type { OperationServices } from "../../operations/services.ts";
import type { Register } from "../../registers/register.ts";

export type SearchResult =
  | { kind: "found"; facts: FiscalFacts }
  | { kind: "absent"; driveNumber: string; read: Read }
  | { kind: "unreachable"; reason: string };

export type Read =
  /** The register's present drive is not the receipt's drive. */
  | { kind: "nothing" }
  | { kind: "one"; number: number }
  /** `distance` documents on each side of `number`. */
  | { kind: "around"; number: number; distance: number };

/** The time for one reading of the state and at most 48 documents. Over a slow line a document takes a second. */
const SEARCH_LIMIT_MS = 60_000;

/**
 * Searches the drive for a further document of a done entry, by the document's fiscal sign: at the given number, otherwise around the
 * entry's own number. Only reads, in the register's lane.
 */
export async function searchDrive(
  services: OperationServices,
  lanes: Lanes,
  entry: Entry,
  wanted: { fiscalSign: string; documentNumber?: number },
): Promise<SearchResult> {
  await services.held?.pull(entry.register);
  const { device } = await turnAt(services, entry);
  const place = lanes.enter(entry.register, () => search(services, device, entry, wanted));
  return place.kind === "full" ? { kind: "unreachable", reason: "lane-full" } : place.result;
}

async function search(
  { clock }: Pick<OperationServices, "clock">,
  device: Register,
  { facts }: Entry,
  { fiscalSign, documentNumber }: { fiscalSign: string; documentNumber?: number },
): Promise<SearchResult> {
  const deadline = deadlineIn(clock, SEARCH_LIMIT_MS);
  const seen = await device.inspect(deadline);
  if (seen.kind === "unreachable") return seen;
  const { driveNumber, lastDocumentNumber } = seen.value;
  const own = facts?.kind === "fiscal" && facts.identity.driveNumber === driveNumber ? facts.documentNumber : undefined;
  if (own === undefined && documentNumber === undefined) {
    return { kind: "absent", driveNumber, read: { kind: "nothing" } };
  }
  for (const number of documentNumber === undefined ? around(own ?? 0, lastDocumentNumber) : [documentNumber]) {
    const found = await device.lookUp(number, deadline);
    if (found.kind === "unreachable") return found;
    if (found.kind === "found" && Number(found.facts.fiscalSign) === Number(fiscalSign)) return { kind: "found", facts: found.facts };
  }
  const read: Read =
    documentNumber === undefined
      ? { kind: "around", number: own ?? 0, distance: READ_AROUND_A_RECEIPT }
      : { kind: "one", number: documentNumber };
  return { kind: "absent", driveNumber, read };
}

function around(own: number, last: number): number[] {
  const distances = Array.from({ length: READ_AROUND_A_RECEIPT }, (_, at) => at + 1);
  return distances.flatMap((distance) => [own + distance, own - distance]).filter((number) => number >= 1 && number <= last);
}
