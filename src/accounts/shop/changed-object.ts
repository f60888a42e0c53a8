/** An object that a notification reports as changed. Names the object without its new content. */
export interface ChangedObject {
  type: string;
  id: string;
  /**
   * `CREATE`, `UPDATE` or `DELETE`, as last reported. `DELETE` removes the stored copy. After any other action the object is read from the
   * platform: notifications come in any order (json-api 9.2), so the last notification may describe an older state.
   */
  action: string;
}

/** Returns each object once, with its last reported action. */
export function distinct(objects: readonly ChangedObject[]): ChangedObject[] {
  return [...new Map(objects.map(({ type, id, action }) => [`${type}/${id}`, { type, id, action }])).values()];
}
