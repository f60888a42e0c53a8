import { z } from "zod";

/** The steps of an exchange as they lie in their row. */
export const storedSteps = z.array(z.object({ command: z.string(), atMs: z.number(), tookMs: z.number(), code: z.string() }));
