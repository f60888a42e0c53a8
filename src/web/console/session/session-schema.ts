import { z } from "zod";

/**
 * The content of a sealed session. A logout ends the session by its `id`. `password`: a hash of the login's password at the beginning of
 * the session. So a new password ends the session.
 */
export const storedSession = z.object({ login: z.string(), password: z.string(), expiresAtMs: z.number(), id: z.string() });
export type StoredSession = z.output<typeof storedSession>;

/** The content of a known browser's sealed text. It shows only that this login has succeeded in this browser. */
export const storedBrowser = z.object({ login: z.string(), id: z.string(), expiresAtMs: z.number() });
