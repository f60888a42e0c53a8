import { z } from "zod";

/** What a sealed session says. `id` names it, so that it can be ended. */
export const storedSession = z.object({ login: z.string(), expiresAtMs: z.number(), id: z.string() });
export type StoredSession = z.output<typeof storedSession>;
