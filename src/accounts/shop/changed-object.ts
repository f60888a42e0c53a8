/** An object of which a notification says that it has changed: where to look, and nothing of how it is now. */
export interface ChangedObject {
  type: string;
  id: string;
  /** `CREATE`, `UPDATE`, `DELETE`: as it was said last. Notifications come in any order (json-api 9.2), so the object itself decides. */
  action: string;
}

/** Each object once, with what was said of it last. */
export function distinct(objects: readonly ChangedObject[]): ChangedObject[] {
  return [...new Map(objects.map(({ type, id, action }) => [`${type}/${id}`, { type, id, action }])).values()];
}
