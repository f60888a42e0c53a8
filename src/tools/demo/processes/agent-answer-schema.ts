import { z } from "zod";

/** The members that the demo reads from `agents enrol --json` (agents surface 1). */
export const writtenCode = z.object({ code: z.string(), server: z.string() });

/** The members that the demo reads from an agent's first welcome line. */
export const readyAgent = z.object({ agent: z.string(), server: z.string(), epoch: z.number() });
