import { z } from "zod";

/** The register's state before sending, as stored in an entry. */
export const checkpointSchema = z.object({
  driveNumber: z.string(),
  lastDocumentNumber: z.int().min(0),
  shiftNumber: z.int().min(0),
  shiftOpen: z.boolean(),
  drawerKopecks: z.int(),
  deviceTime: z.string(),
  attemptId: z.string().exactOptional(),
  record: z.string().exactOptional(),
});
