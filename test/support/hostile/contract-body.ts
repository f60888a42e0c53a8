import type { ZodType } from "zod";
import type { Call } from "../../../src/tools/sandbox/caller/call.ts";

/** One kind of body of a contract: how it is read, an example, and how bytes are sent as this body. */
export interface BodyOfContract {
  contract: "fiscal" | "vendor" | "events" | "qr" | "loyalty" | "tbank" | "yookassa";
  name: string;
  schema: ZodType;
  /** Returns another document each time, so that it is never a repeat. */
  example(): object;
  call(bytes: Buffer): Call;
  /** The largest body that is read, when it is below the limit of the other bodies. */
  limitBytes?: number;
}
