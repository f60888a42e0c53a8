import { z } from "zod";
import { boundedList } from "../../../kernel/list-schema.ts";

/** The ready line of the sandbox, as far as the demo uses it. */
export const readyPlatform = z.object({ base: z.string(), token: z.string() });

/** What the sandbox tells of the solution's installation. */
export const toldInstallation = z.object({ accountId: z.string(), status: z.string().nullable() });

/** The list of points of sale, as far as the demo reads it. */
export const listedStores = z.object({ rows: boundedList(z.object({ id: z.string() }), { max: 1 }) });
