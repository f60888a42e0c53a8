import { z } from "zod";
import { boundedList } from "../../../kernel/list-schema.ts";

/** The members that the demo reads from the sandbox's ready line. */
export const readyPlatform = z.object({ base: z.string(), token: z.string() });

/** The members of the sandbox's answer about the installation. */
export const toldInstallation = z.object({ accountId: z.string(), status: z.string().nullable() });

/** The members that the demo reads from the list of points of sale. */
export const listedStores = z.object({ rows: boundedList(z.object({ id: z.string() }), { max: 1 }) });
