import { Refusal, refused } from "../call/refusal.ts";
import { refuseForeignStates } from "../types/custom/states.ts";
import type { EntityType, Reading, Writing } from "../types/entity-type.ts";
import { refuseForeignAccounts } from "../types/parties/party-accounts.ts";
import { externalCodeOf } from "../values/external-code.ts";
import type { Reference, Stored, Value, Values } from "../values/stored.ts";
import { missingAttributes } from "./attributes.ts";
import { readDeep } from "./deep.ts";
import { partsOf, refuseUsed } from "./dependencies.ts";
import { missingFields, readFields, type Sent, withoutEmptyTexts } from "./read-fields.ts";

/** What all elements of one request share. */
export interface WriteRequest {
  readonly reading: Reading;
  readonly nowMs: number;
}

/** Runs the work of one request in a commit. Resolves when the changes are on disk. */
export function committed<T>(reading: Reading, work: (request: WriteRequest) => T): Promise<T> {
  return reading.account.commit(() => work({ reading, nowMs: reading.account.clock.nowMs() }), reading.call);
}

/**
 * Creates an object. A known `syncId` returns the earlier object unchanged (json-api D14). Throws a `Refusal`. Must run inside a commit.
 */
export function createObject(type: EntityType, sent: Sent, request: WriteRequest): Stored {
  const { account } = request.reading;
  const earlier = bySyncId(type, sent, request.reading);
  if (earlier !== undefined) {
    type.repeated?.(earlier);
    return earlier;
  }
  const draft = draftObject(type, sent, request);
  const id = account.newId();
  return finish(type, id, { ...commonValues(type, id, request), ...draft }, undefined, writingOf(sent, request), request.reading);
}

/** Returns a new object's values before the type's rules run: the values of the body and the defaults. */
export function draftObject(type: EntityType, sent: Sent, request: WriteRequest): Values {
  const draft = read(type, sent, {}, undefined, request);
  return type.complete?.(draft, writingOf(sent, request)) ?? draft;
}

/** Changes the object's fields that the body names. Throws a `Refusal`. Must run inside a commit. */
export function updateObject(type: EntityType, before: Stored, sent: Sent, request: WriteRequest): Stored {
  const writing = writingOf(sent, request);
  const draft = read(type, sent, before.values, before, request);
  if (before.values.syncId === undefined && draft.syncId !== undefined) refuseTaken(type, before, draft.syncId, request.reading);
  return finish(type, before.id, draft, before, writing, request.reading, writing.given);
}

/** Changes values of an object for a request to another address, such as the address of a line. */
export function rewriteObject(type: EntityType, before: Stored, changes: Values, request: WriteRequest): Stored {
  return finish(
    type,
    before.id,
    { ...before.values, ...changes },
    before,
    writingOf({}, request),
    request.reading,
    new Set(Object.keys(changes)),
  );
}

/**
 * Deletes the object with its parts. Throws 1028 if another object refers to the object, 1023 if another object refers to a part. Both
 * refusals have the status 409.
 */
export function deleteObject(type: EntityType, stored: Stored, request: WriteRequest): void {
  const { account } = request.reading;
  type.release?.(stored, writingOf({}, request));
  refuseUsed(stored, 1028, request.reading, ...(type.parts === undefined ? [] : [type.parts.type]));
  const parts = type.parts === undefined ? [] : partsOf(stored, type.parts, account);
  for (const part of parts) refuseUsed(part, 1023, request.reading);
  for (const part of parts) account.remove(part);
  account.remove(stored);
}

/** Returns the object of a reference. Throws 1021 if the object is missing. */
export function targetOf(reference: Reference, reading: Reading): Stored {
  const stored = reading.account.objects.get(reference.type, reference.id);
  if (stored === undefined) throw refused(1021, undefined, reference.id);
  return stored;
}

function read(type: EntityType, sent: Sent, before: Values, stored: Stored | undefined, request: WriteRequest): Record<string, Value> {
  const { reading } = request;
  return readFields(type.fields, sent, before, stored !== undefined, reading, (field, given, values) =>
    readDeep(type, field, given, values, reading),
  );
}

function finish(
  type: EntityType,
  id: string,
  draft: Values,
  before: Stored | undefined,
  writing: Writing,
  reading: Reading,
  named?: ReadonlySet<string>,
): Stored {
  const faults = [...missingFields(type.fields, draft), ...missingAttributes(type, draft, reading)];
  if (faults.length > 0) throw new Refusal(...faults);
  if (type.states && draft.state !== before?.values.state) refuseForeignStates(type.name, "state", draft.state, reading.account);
  const settled = type.settle?.(draft, before, writing) ?? draft;
  if (type.document) refuseForeignAccounts(settled, before, writing.account);
  const stored: Stored = {
    type: type.name,
    id,
    values: { ...withoutEmptyTexts(type.fields, settled), ...lastChange(writing, writing.nowMs) },
  };
  writing.account.put(stored, named);
  return stored;
}

/**
 * Returns the moment and the author of a change. `updatedBy` is a login, because the filter by `updatedBy` compares logins (json-api 6.2).
 */
export function lastChange({ account, call: { caller } }: Pick<Writing, "account" | "call">, nowMs: number): Values {
  if (caller.kind === "user") return { updated: nowMs, updatedBy: caller.login };
  // A solution writes as its employee.
  const uid = account.objects.get(caller.employee.type, caller.employee.id)?.values.uid;
  return { updated: nowMs, updatedBy: typeof uid === "string" ? uid : caller.appId };
}

/** Returns the initial values of a new object (json-api 5.6), without fields that the type lacks. */
function commonValues(type: EntityType, id: string, { reading, nowMs }: WriteRequest): Values {
  const group = [...reading.account.objects.all("group").values()][0];
  const { employee } = reading.call.caller;
  const common: Values = {
    owner: { type: employee.type, id: employee.id },
    ...(group === undefined ? {} : { group: { type: group.type, id: group.id } }),
    shared: false,
    externalCode: externalCodeOf(id),
    created: nowMs,
  };
  const names = new Set(type.fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(common).filter(([name]) => names.has(name)));
}

function bySyncId(type: EntityType, sent: Sent, reading: Reading): Stored | undefined {
  const { syncId } = sent;
  if (typeof syncId !== "string" || !type.fields.some(({ name }) => name === "syncId")) return undefined;
  const id = reading.account.syncIds.idOf(type.name, syncId);
  return id === undefined ? undefined : reading.account.objects.get(type.name, id);
}

/**
 * Throws 3006 if another object has the `syncId`. A shift has its own refusal, which depends on the state of the other shift (json-api
 * 7.6).
 */
function refuseTaken(type: EntityType, before: Stored, syncId: Value, reading: Reading): void {
  const other = bySyncId(type, { syncId }, reading);
  if (other === undefined || other.id === before.id) return;
  type.repeated?.(other);
  throw refused(3006, "syncId");
}

/** Returns what a type's rules may use during this write. */
export function writingOf(sent: Sent, { reading, nowMs }: WriteRequest): Writing {
  return { account: reading.account, catalogue: reading.catalogue, call: reading.call, nowMs, given: new Set(Object.keys(sent)) };
}
