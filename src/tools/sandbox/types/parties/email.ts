import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** Throws 3015 (json-api 10.3) if a changed `email` is invalid. */
export function checkEmail({ email }: Values, before: Pick<Stored, "values"> | undefined): void {
  if (email === undefined || email === "" || email === before?.values.email) return;
  if (!ADDRESS.test(String(email))) throw refused(3015, "email", String(email));
}
