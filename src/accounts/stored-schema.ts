import { z } from "zod";
import { boundedList } from "../kernel/list-schema.ts";

/** The maximum number of granted APIs in a stored value. The platform grants one JSON API with one scope today. */
export const MAX_ACCESS = 100;
export const MAX_SCOPES = 100;

export const subscriptionSchema = z.object({
  tariffId: z.string().exactOptional(),
  tariffName: z.string().exactOptional(),
  trial: z.boolean().exactOptional(),
  expiryMoment: z.string().exactOptional(),
  notForResale: z.boolean().exactOptional(),
  partner: z.boolean().exactOptional(),
});

export const accessSchema = boundedList(
  z.object({ resource: z.string(), scope: boundedList(z.string(), { max: MAX_SCOPES }), permissions: z.unknown().exactOptional() }),
  { max: MAX_ACCESS },
);
