import { z } from "zod";

/**
 * The content of a sealed session. `id` identifies it, so that it can be ended. `password` tells with which password it began: another
 * password ends it.
 */
export const storedSession = z.object({ login: z.string(), password: z.string(), expiresAtMs: z.number(), id: z.string() });
export type StoredSession = z.output<typeof storedSession>;

/** The content of the sealed text of a browser in which a login has succeeded. */
export const storedBrowser = z.object({ login: z.string(), id: z.string(), expiresAtMs: z.number() });
