import { createHash } from "node:crypto";
import type { EntryContent } from "../journal/entry.ts";
import { present } from "../kernel/present.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Register } from "../registers/register.ts";
import { laneStopped } from "./readiness.ts";
import { referenceOf } from "./reference.ts";
import { register, type StateBefore } from "./registering.ts";
import type { TurnServices } from "./services.ts";

type Prepared = { kind: "ready" } | { kind: "refused"; refusal: Refusal };

/**
 * Opens a shift at the device for the operation's platform shift. The opening has a separate entry. Returns a refusal unless the opening
 * was registered.
 */
export function openShiftAutomatically(
  services: TurnServices,
  device: Register,
  content: EntryContent,
  state: StateBefore,
): Promise<Prepared> {
  return makeReport(services, device, content, state, "auto-open-shift");
}

/**
 * Closes the device's shift, which has expired or belongs to another shift of the platform. The closing has a separate entry. Returns a
 * refusal unless the closing was registered.
 */
export function closeShiftAutomatically(
  services: TurnServices,
  device: Register,
  content: EntryContent,
  state: StateBefore,
): Promise<Prepared> {
  return makeReport(services, device, content, state, "auto-close-shift");
}

async function makeReport(
  services: TurnServices,
  device: Register,
  cause: EntryContent,
  state: StateBefore,
  operation: "auto-open-shift" | "auto-close-shift",
): Promise<Prepared> {
  const content = reportContent(cause, state, operation);
  const known = await services.journal.find(content.key);
  if (!services.refusals.maySend(content, known !== undefined)) return { kind: "refused", refusal: { code: "refused-too-often" } };
  const entry = await register(services, device, content, known, state);
  if (entry.state === "done") return { kind: "ready" };
  if (entry.state === "refused") return { kind: "refused", refusal: entry.refusal ?? { code: "device-refused" } };
  return { kind: "refused", refusal: laneStopped(content, entry.doubt) };
}

/**
 * Returns the content of the report. The key names the drive and the device's shift, not the sale, so two sales of an account never cause
 * two reports.
 */
function reportContent(cause: EntryContent, state: StateBefore, operation: "auto-open-shift" | "auto-close-shift"): EntryContent {
  const shiftNumber = state.shift.kind === "open" ? state.shift.number : state.shift.lastNumber + 1;
  const kind = operation === "auto-open-shift" ? "open-shift" : "close-shift";
  const { cashierName, address, place } = cause.document;
  const { shift, storeId, moment, cashier } = cause.operation;
  const key = { ...cause.key, operation, documentId: `${state.driveNumber}-${shiftNumber}` };
  const contentHash = createHash("sha256").update(JSON.stringify(key)).digest("hex");
  return {
    key,
    contentHash,
    twinHash: contentHash,
    idType: shift.idType,
    register: cause.register,
    paper: cause.paper,
    operation: { kind, document: shift, shift, storeId, name: `${shiftNumber}`, moment, ...present({ cashier }) },
    document: {
      kind,
      reference: referenceOf(key),
      ...present({ cashierName, address, place }),
    },
  };
}
