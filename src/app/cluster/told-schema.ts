import { z } from "zod";
import { boundedRecord } from "../../kernel/list-schema.ts";
import { MAX_REGISTERS } from "../../registers/agent/wire/frames-schema.ts";

/** A process's register, for alerts (alerts/conditions.ts). */
export const seenRegisterSchema = z.object({
  register: z.string().max(200),
  reserves: z.object({
    keyDays: z.number().exactOptional(),
    keysExpireSoon: z.boolean().exactOptional(),
    keysExpireNow: z.boolean().exactOptional(),
    queueDays: z.number().exactOptional(),
    unsent: z.number().exactOptional(),
    operatorTimeout: z.boolean().exactOptional(),
  }),
});

/** The state of an agent's connection, reported by the process that has this connection. */
export const agentViewSchema = z.object({
  epoch: z.int(),
  sinceMs: z.number().exactOptional(),
  rttMs: z.number().exactOptional(),
  unfinished: z.int().exactOptional(),
  seen: boundedRecord(z.enum(["reached", "unreachable"]), { max: MAX_REGISTERS, name: z.string().max(100) }),
});
