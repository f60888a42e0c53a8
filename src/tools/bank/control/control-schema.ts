import { z } from "zod";
import { FAULT_NAMES, type Fault, type FaultName } from "../engine/faults.ts";
import { DECLINE_REASONS } from "../engine/payment.ts";

/** The longest clock advance of one order: ten years. No payment lives longer. */
const MAX_ADVANCE_MS = 3_660 * 86_400_000;

const FORMS = {
  pay: z.strictObject({ late: z.boolean().default(false) }),
  decline: z.strictObject({ reason: z.enum(DECLINE_REASONS).default("insufficient-funds") }),
  none: z.strictObject({}),
  faults: z.partialRecord(z.enum(FAULT_NAMES), z.number().min(0).max(1)).transform(faultsOf),
  clock: z.strictObject({ advanceMs: z.int().min(0).max(MAX_ADVANCE_MS) }),
} as const;
type Form<Name extends keyof typeof FORMS> = z.output<(typeof FORMS)[Name]>;

type Read<T> = { readonly kind: "read"; readonly value: T } | { readonly kind: "wrong"; readonly why: string };

/** Reads the body of an order. A missing body counts as an empty object. */
export function readControlBody<Name extends keyof typeof FORMS>(name: Name, bytes: Buffer): Read<Form<Name>> {
  try {
    const value: unknown = bytes.length === 0 ? {} : JSON.parse(bytes.toString("utf8"));
    const read = FORMS[name].safeParse(value);
    if (read.success) return { kind: "read", value: read.data as Form<Name> };
    const [issue] = read.error.issues;
    return { kind: "wrong", why: `${issue?.path.join(".") || "body"}: ${issue?.message ?? "not understood"}` };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "wrong", why: "body: no JSON" };
  }
}

function faultsOf(shares: Partial<Record<FaultName, number>>): Fault[] {
  return FAULT_NAMES.flatMap((name) => {
    const share = shares[name];
    return share === undefined ? [] : [{ name, share }];
  });
}
