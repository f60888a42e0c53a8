/**
 * Returns the object without the members whose value is `undefined`. With the compiler's option `exactOptionalPropertyTypes`, an optional
 * member must be absent and must not have the value `undefined`.
 */
export function present<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const kept: { [Name in keyof T]?: Exclude<T[Name], undefined> } = {};
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) kept[name] = value as Exclude<T[typeof name], undefined>;
  }
  return kept;
}
