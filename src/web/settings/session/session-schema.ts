import { z } from "zod";

export const sessionSchema = z.object({
  appId: z.string(),
  accountId: z.string(),
  name: z.string(),
  role: z.string(),
  administrator: z.boolean(),
  language: z.string(),
  expiresAtMs: z.number(),
  id: z.string(),
});

/** The body that begins a session: one of the platform's two proofs. */
export const proofSchema = z.object({
  appId: z.string().min(1).max(64),
  token: z.string().min(1).max(2_048).optional(),
  contextKey: z.string().min(1).max(512).optional(),
  language: z.string().max(16).optional(),
});
