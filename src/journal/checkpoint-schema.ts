import { z } from "zod";

/** What the register had printed last, as an entry keeps it. */
export const checkpointSchema = z.object({
  driveNumber: z.string(),
  lastDocumentNumber: z.int().min(0),
  shiftNumber: z.int().min(0),
  shiftOpen: z.boolean(),
  drawerKopecks: z.int(),
  deviceTime: z.string(),
});
