import { z } from "zod";

/** The ready line of the sandbox, as far as the demo uses it. */
export const readyPlatform = z.object({ base: z.string() });
