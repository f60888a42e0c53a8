/** The roles of every account (json-api 13.13), with their types in references. */
export const ROLES: ReadonlyMap<string, string> = new Map([
  ["admin", "systemrole"],
  ["individual", "individualrole"],
  ["cashier", "systemrole"],
  ["worker", "systemrole"],
  ["owner", "systemrole"],
]);
