/** The roles that every account has (json-api 13.13), each with the type that a reference to it names. */
export const ROLES: ReadonlyMap<string, string> = new Map([
  ["admin", "systemrole"],
  ["individual", "individualrole"],
  ["cashier", "systemrole"],
  ["worker", "systemrole"],
  ["owner", "systemrole"],
]);
