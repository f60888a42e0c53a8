import { z } from "zod";

/**
 * The longest text of a member's personal data. The platform's own limit is 255. The contract and the import check their own limits before
 * anything is stored.
 */
export const MAX_PERSONAL_LENGTH = 1_000;

export const personalSchema = z.object({
  name: z.string(),
  phone: z.string().optional(),
  email: z.string().optional(),
  card: z.string().optional(),
  legalFirstName: z.string().optional(),
  legalMiddleName: z.string().optional(),
  legalLastName: z.string().optional(),
  birthDate: z.string().optional(),
  sex: z.enum(["MALE", "FEMALE"]).optional(),
});

/** `phone`: E.164 where readable, otherwise as typed. `birthDate`: as stated, usually beginning with YYYY-MM-DD. */
export type Personal = z.infer<typeof personalSchema>;

/** Returns the names of the texts longer than `MAX_PERSONAL_LENGTH`. */
export function tooLongIn(personal: Personal): string[] {
  return Object.entries(personal).flatMap(([name, text]) => (text !== undefined && text.length > MAX_PERSONAL_LENGTH ? [name] : []));
}
