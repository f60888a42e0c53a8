import { newestInSteps } from "../../kernel/work/newest-in-steps.ts";
import type { Store } from "../../store/database.ts";
import type { EntryRow } from "../../store/tables.ts";
import { lastDoneIn, newestOfStoreIn } from "../newest-queries.ts";
import { type EntryFilter, entriesOfDocument, entryById, idsInState } from "../queries.ts";
import type { SizedRow } from "../reading/steps.ts";
import { UNFINISHED } from "../states.ts";
import { type DoneFilter, doneStep, inOrderOfBeginning, inOrderOfEnd, type ReturnFilter, returnsStep } from "./document-queries.ts";
import {
  type EntryPlace,
  type EntrySearch,
  type EntryTerm,
  fewCandidates,
  idsNamed,
  idsNumbered,
  idsOfSmallAccount,
  listAmong,
  listStep,
  MOST_OF_A_MEANING,
  meaningStep,
  type Rest,
  searchAmong,
  searchStep,
} from "./search-queries.ts";

/** For readings to which no index leads. They look through the journal in steps, and other work runs between the steps. */
type Reads = Pick<Store, "read">;

/** Returns the entries that match the filter, the newest first. */
export async function listedRows(store: Reads, filter: EntryFilter): Promise<SizedRow[]> {
  const { documentId, state, accountId } = filter;
  if (documentId !== undefined) return store.read((db) => entriesOfDocument(db, { ...filter, documentId }));
  const ids = await store.read(async (db) => {
    if (state !== undefined && UNFINISHED.includes(state)) return idsInState(db, state);
    return accountId === undefined ? undefined : idsOfSmallAccount(db, accountId);
  });
  if (ids !== undefined) return store.read((db) => listAmong(db, ids, filter));
  return newestInSteps<{ id: number }, SizedRow>(filter.limit, (step) => store.read((db) => listStep(db, filter, step)));
}

/** Returns the entries that match a person's search, the newest first. */
export async function searchedRows(store: Reads, wanted: EntrySearch): Promise<SizedRow[]> {
  const { term, ...rest } = wanted;
  const ids = term === undefined ? await store.read((db) => fewCandidates(db, rest)) : await idsMeant(store, term, rest);
  if (ids !== undefined) return store.read((db) => searchAmong(db, ids, wanted));
  return newestInSteps<EntryPlace, SizedRow>(wanted.limit, (step) => store.read((db) => searchStep(db, wanted, step)));
}

/**
 * Returns the ids of the entries that a term may mean: at most `rest.limit` for each name, and at most `MOST_OF_A_MEANING` for any other
 * meaning. An index leads to each meaning. Many entries of all accounts may have one sum, so the entries that fit the rest of the search
 * are looked for in steps.
 */
async function idsMeant(store: Reads, { names, documentId, documentNumber, sumKopecks }: EntryTerm, rest: Rest): Promise<number[]> {
  const inAllSteps = (meaning: Parameters<typeof meaningStep>[1]) =>
    newestInSteps<{ id: number }, number>(MOST_OF_A_MEANING, (step) => store.read((db) => meaningStep(db, meaning, rest, step)));
  const found = [
    ...(await Promise.all(names.map((name) => store.read((db) => idsNamed(db, name, rest))))),
    await inAllSteps({ column: "document_id", value: documentId }),
    sumKopecks === undefined ? [] : await inAllSteps({ column: "sum_kopecks", value: sumKopecks }),
    documentNumber === undefined ? [] : await store.read((db) => idsNumbered(db, documentNumber, rest)),
  ];
  return [...new Set(found.flat())];
}

/** Returns the register's last done entry. Looks at a few moves for a register in use, at all moves for an unused register. */
export function lastDoneRow(store: Reads, of: Parameters<typeof lastDoneIn>[1]): Promise<EntryRow | undefined> {
  return firstRow(store, (step) => store.read((db) => lastDoneIn(db, of, step)));
}

/** Returns the point of sale's entry that moved last, in any state. */
export function newestRowOfStore(store: Reads, point: Parameters<typeof newestOfStoreIn>[1]): Promise<EntryRow | undefined> {
  return firstRow(store, (step) => store.read((db) => newestOfStoreIn(db, point, step)));
}

/** Returns the done entries of a device's shift, in the order of their ids. Looks at all entries. */
export async function rowsOfShift(
  store: Reads,
  { driveNumber, register, shiftNumber }: { driveNumber: string; register: string; shiftNumber: number },
): Promise<SizedRow[]> {
  return (await doneRows(store, { driveNumber, shift: { register, number: shiftNumber } })).toReversed();
}

/** Returns a drive's done entries with this fiscal sign in their facts, the newest first, at most ten. Looks at all entries. */
export async function rowsOfSign(store: Reads, driveNumber: string, fiscalSign: string): Promise<SizedRow[]> {
  const ids = (await doneRows(store, { driveNumber, fiscalSign })).map(({ id }) => id);
  return store.read((db) => inOrderOfEnd(db, ids));
}

function doneRows(store: Reads, filter: DoneFilter): Promise<SizedRow[]> {
  return newestInSteps<{ id: number }, SizedRow>(ALL, (step) => store.read((db) => doneStep(db, filter, step)));
}

/** Returns the account's returns that name a sale by its sign, the oldest first, without refused returns. Looks at all its returns. */
export async function rowsOfReturns(store: Reads, filter: ReturnFilter): Promise<SizedRow[]> {
  const found = await newestInSteps<{ documentId: string }, SizedRow>(ALL, (step) => store.read((db) => returnsStep(db, filter, step)));
  const ids = found.map(({ id }) => id);
  return store.read((db) => inOrderOfBeginning(db, ids));
}

/** No bound for the number of found rows. */
const ALL = Number.POSITIVE_INFINITY;

async function firstRow(store: Reads, look: (step: Parameters<typeof lastDoneIn>[2]) => ReturnType<typeof lastDoneIn>) {
  const [id] = await newestInSteps(1, look);
  return id === undefined ? undefined : store.read((db) => entryById(db, id));
}
