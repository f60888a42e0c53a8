import type { Entry } from "../../src/journal/entry.ts";
import { BrokenPromise, type Platform } from "./platform.ts";
import type { Printed, World } from "./world.ts";

/** Entries looked at: more than any simulated run makes. */
const ALL = 10_000;

/**
 * What must hold at any moment, whatever went wrong: the drive and the journal tell the same story, and
 * nothing that was answered with success is missing or doubled.
 */
export async function checkAlways(world: World, platform: Platform): Promise<void> {
  // The server goes on while this looks: what is done by now stands in the drive, and what stands there is begun.
  const doneBefore = (await world.journal.list({ limit: ALL })).filter(({ state }) => state === "done");
  const printed = world.printed();
  const entries = await world.journal.list({ limit: ALL });
  noReferenceTwice(printed);
  const known = new Map(entries.map((entry) => [entry.document.reference, entry]));
  for (const record of printed) {
    const entry = known.get(record.reference);
    if (entry === undefined) throw new BrokenPromise(`${nameOf(record)} of the drive is not in the journal`);
    if (entry.state === "refused") throw new BrokenPromise(`${nameOf(record)} was registered and counts as refused`);
    if (entry.state === "done" && !tellsOf(entry, record))
      throw new BrokenPromise(`entry ${entry.id} tells something else than ${nameOf(record)}`);
  }
  const references = new Set(printed.map(({ reference }) => reference));
  for (const entry of doneBefore) {
    if (!references.has(entry.document.reference))
      throw new BrokenPromise(`entry ${entry.id} is done and nothing of it stands in the drive`);
  }
  for (const document of platform.documents) {
    if (document.answer !== undefined) mustBeDone(document.operation, entries);
  }
}

/** What must hold once nothing goes wrong any more: no entry is open, and the drawer has what the journal says. */
export async function checkAtTheEnd(world: World, platform: Platform): Promise<void> {
  await checkAlways(world, platform);
  const entries = await world.journal.list({ limit: ALL });
  const open = entries.find(({ state }) => state === "queued" || state === "sending" || state === "in-doubt");
  if (open !== undefined) throw new BrokenPromise(`entry ${open.id} never ended: ${open.state}, ${open.doubt ?? "no reason"}`);
  const state = await world.device.state();
  if (state.kind !== "answer") throw new BrokenPromise("the device does not answer although nothing goes wrong any more");
  const expected = entries.map(drawerChange).reduce((sum, change) => sum + change, 0);
  if (state.value.drawerKopecks !== expected) {
    throw new BrokenPromise(`the drawer has ${state.value.drawerKopecks} kopecks, the journal says ${expected}`);
  }
  const lost = platform.documents.find(({ last }) => last === undefined || last === "running" || last === "in-doubt");
  if (lost !== undefined) throw new BrokenPromise(`${lost.operation.document.id} never got an answer: ${lost.last ?? "none"}`);
}

function noReferenceTwice(printed: { reference: string }[]): void {
  const seen = new Set<string>();
  for (const { reference } of printed) {
    if (seen.has(reference)) throw new BrokenPromise(`the operation with reference ${reference} was registered twice`);
    seen.add(reference);
  }
}

function mustBeDone({ kind, document }: { kind: string; document: { id: string } }, entries: Entry[]): void {
  const entry = entries.find(({ key }) => key.operation === kind && key.documentId === document.id);
  if (entry?.state !== "done")
    throw new BrokenPromise(`${kind} ${document.id} was answered and is ${entry?.state ?? "unknown"} in the journal`);
}

function nameOf(record: Printed): string {
  return record.kind === "fiscal" ? `document ${record.facts.documentNumber}` : `the slip for ${record.sumKopecks} kopecks`;
}

/** The numbers that were answered are those of the drive. */
function tellsOf({ facts }: Entry, record: Printed): boolean {
  if (record.kind === "cash") return facts?.kind === "cash" && facts.sumKopecks === record.sumKopecks;
  return facts?.kind === "fiscal" && facts.documentNumber === record.facts.documentNumber && facts.fiscalSign === record.facts.fiscalSign;
}

function drawerChange({ state, document }: Entry): number {
  if (state !== "done") return 0;
  switch (document.kind) {
    case "cash-in":
      return document.sumKopecks;
    case "cash-out":
      return -document.sumKopecks;
    case "receipt":
      return document.sign === 1 ? document.tenders.cashKopecks : -document.tenders.cashKopecks;
    default:
      return 0;
  }
}
