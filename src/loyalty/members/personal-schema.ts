import { z } from "zod";

/** The personal data of a member, as it is sealed in the member's row. */
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

/** `phone` is E.164 where it could be read, else as it was typed. `birthDate`: YYYY-MM-DD. */
export type Personal = z.infer<typeof personalSchema>;
