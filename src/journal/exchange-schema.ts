import { z } from "zod";
import { boundedList } from "../kernel/list-schema.ts";
import { MOST_STEPS } from "../model/device/exchange.ts";

export const storedSteps = boundedList(z.object({ command: z.string(), atMs: z.number(), tookMs: z.number(), code: z.string() }), {
  max: MOST_STEPS,
});
