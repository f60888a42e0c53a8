import { z } from "zod";

/** A session as it was sealed. */
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

/** What a window sends to begin a session: one of the two proofs of the platform. */
export const proofSchema = z.object({
  appId: z.string().min(1).max(64),
  token: z.string().min(1).max(2_048).optional(),
  contextKey: z.string().min(1).max(512).optional(),
  language: z.string().max(16).optional(),
});
