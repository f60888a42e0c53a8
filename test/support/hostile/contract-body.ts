import type { ZodType } from "zod";
import type { Call } from "../../../src/tools/sandbox/caller/call.ts";

/** One body of a contract: how it is read, a good example of it, and how bytes are sent in its place. */
export interface BodyOfContract {
  contract: "fiscal" | "vendor" | "events" | "qr" | "loyalty" | "tbank" | "yookassa";
  name: string;
  schema: ZodType;
  /** Another document each time: nothing of it is a repeat. */
  example(): object;
  call(bytes: Buffer): Call;
  /** The largest body that is read, where it is less than others may have. */
  limitBytes?: number;
}
