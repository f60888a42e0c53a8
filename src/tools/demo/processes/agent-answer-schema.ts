import { z } from "zod";

/** What `agents enrol --json` prints (surface of agents 1). */
export const writtenCode = z.object({ code: z.string(), server: z.string() });

/** The line that an agent prints at its first welcome. */
export const readyAgent = z.object({ agent: z.string(), server: z.string(), epoch: z.number() });
