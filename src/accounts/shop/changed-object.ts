/** An object that a notification reports as changed. It names the object and does not contain its new content. */
export interface ChangedObject {
  type: string;
  id: string;
  /**
   * `CREATE`, `UPDATE` or `DELETE`, as last reported. `DELETE` removes the stored copy. After any other action the
   * object is read, because notifications come in any order (json-api 9.2) and the last notification need not show the
   * newest state.
   */
  action: string;
}

/** Returns each object once, with the action that was reported last. */
export function distinct(objects: readonly ChangedObject[]): ChangedObject[] {
  return [...new Map(objects.map(({ type, id, action }) => [`${type}/${id}`, { type, id, action }])).values()];
}
