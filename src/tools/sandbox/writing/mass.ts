import { errorsOf } from "../call/error-body.ts";
import { Refusal, refused, within } from "../call/refusal.ts";
import { withAsked } from "../reading/asked.ts";
import { readExpand } from "../reading/expand.ts";
import { renderObject } from "../reading/render.ts";
import type { EntityType, Reading } from "../types/entity-type.ts";
import { isUuid } from "../values/ids.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Stored } from "../values/stored.ts";
import type { Sent } from "./read-fields.ts";
import { readReference } from "./read-reference.ts";
import { createObject, deleteObject, targetOf, updateObject, type WriteRequest } from "./write.ts";

/** The answer to a mass request: a common status, and an answer or errors for each element. */
interface MassAnswer {
  readonly status: number;
  readonly body: Json[];
}

/** Creates and updates objects (json-api 7.4). A failed element does not undo other elements. The answer has the elements' order. */
export function writeMany(type: EntityType, elements: readonly unknown[], reading: Reading): Promise<MassAnswer> {
  // As for a single object, `fields` and `expand` are read before the first write.
  const asking = withAsked(reading, true);
  const expand = readExpand(reading.call.query, type, reading.catalogue);
  return eachElement(elements, reading, (sent, request) => {
    const stored = sent.meta === undefined ? createNew(type, sent, request) : updateObject(type, meant(type, sent, reading), sent, request);
    return () => renderObject(stored, asking, expand);
  });
}

/** Deletes objects. An element is `{ meta }`, its answer `{ info }`. */
export function deleteMany(type: EntityType, elements: readonly unknown[], reading: Reading): Promise<MassAnswer> {
  return eachElement(elements, reading, (sent, request) => {
    const stored = meant(type, sent, reading);
    deleteObject(type, stored, request);
    return () => deletedInfo(stored, reading.call);
  });
}

/** Returns the answer for a deleted object. */
export function deletedInfo({ id }: Stored, { language }: Reading["call"]): JsonObject {
  return { info: language === "ru" ? `Объект с UUID '${id}' успешно удален` : `Object with UUID '${id}' was deleted` };
}

function createNew(type: EntityType, sent: Sent, request: WriteRequest): Stored {
  if (!type.offers.has("create")) throw refused(1011, undefined, type.name);
  // A new object ignores the id in the body, but this id must be a UUID (json-api 7.4, the recorded mass answer).
  if (sent.id !== undefined && sent.id !== null && !(typeof sent.id === "string" && isUuid(sent.id))) throw refused(2016, "id", "uuid");
  return createObject(type, sent, request);
}

function meant(type: EntityType, sent: Sent, reading: Reading): Stored {
  return targetOf(readReference(sent, "meta", [type.name], reading, { foreign: 2024 }), reading);
}

/** Returns the answer for a successful element. Called after the commit is on disk. */
type Written = () => Json;

/** Runs independent elements in one commit. The answer has the elements' order. */
export async function eachElement(
  elements: readonly unknown[],
  reading: Reading,
  work: (sent: Sent, request: WriteRequest) => Written,
): Promise<MassAnswer> {
  const { account, call } = reading;
  const request = { reading, nowMs: account.clock.nowMs() };
  const outcomes = await account.commit(() => elements.map((element, index) => outcomeOf(element, index, request, work)), call);
  const failures = outcomes.filter((outcome) => outcome instanceof Refusal);
  const body = outcomes.map((outcome): Json => (outcome instanceof Refusal ? errorsOf(outcome.errors, call) : outcome()));
  return { status: statusOf(failures, reading), body };
}

function outcomeOf(
  element: unknown,
  index: number,
  request: WriteRequest,
  work: (sent: Sent, request: WriteRequest) => Written,
): Written | Refusal {
  try {
    return within(index, () => {
      if (typeof element !== "object" || element === null) throw refused(2005);
      return request.reading.account.attempt(() => work(element as Sent, request));
    });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/**
 * Returns the status (json-api D13). 200: all succeeded, or the setting demands it. 400: a failure has a code from 2000 to 2999. 412: other
 * failures.
 */
function statusOf(failures: readonly Refusal[], reading: Reading): number {
  if (failures.length === 0 || reading.call.settings.massStatus === "200") return 200;
  return failures.some(({ errors }) => errors.some(({ code }) => code >= 2000 && code < 3000)) ? 400 : 412;
}
