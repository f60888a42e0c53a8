import { ascii, money, u8, u16 } from "./fields.ts";
import { readFields, type Shape, type ValuesOf, writeFields } from "./layout.ts";

/** Document kinds in the answer of FF0A (shtrih-protocol 5.8). */
export const DOCUMENT_TYPES = {
  registration: 1,
  openShift: 2,
  receipt: 3,
  strictForm: 4,
  closeShift: 5,
  closeDrive: 6,
  reRegistration: 11,
  stateReport: 21,
  correction: 31,
  strictFormCorrection: 41,
} as const;

const receipt = { operation: u8, sum: money };
const shift = { shift: u16 };

export type FoundBody =
  | ({ kind: "receipt" } & ValuesOf<typeof receipt>)
  | ({ kind: "shift" } & ValuesOf<typeof shift>)
  /** A document that the driver never makes, or a state report (its layout differs between the sources), or too few bytes. */
  | { kind: "other"; bytes: Buffer };

/** Reads the field `more` of the answer to `findDocument`. */
export function readFound(type: number, more: Buffer): FoundBody {
  const kind = kindOf(type);
  if (kind === "other") return { kind, bytes: more };
  const read = readFields(kind === "receipt" ? receipt : shift, more);
  return read.kind === "short" ? { kind: "other", bytes: more } : ({ kind, ...read.values } as FoundBody);
}

/** Writes the field `more` of the answer to `findDocument`, for a device. */
export function writeFound(body: FoundBody): Buffer {
  if (body.kind === "other") return body.bytes;
  return writeFields(body.kind === "receipt" ? receipt : shift, body);
}

const registration = { inn: ascii(12), registrationNumber: ascii(20), taxSystems: u8, mode: u8 } satisfies Shape;

/** Returns the body that `writeFound` takes for a registration. */
export function writeFoundRegistration(values: ValuesOf<typeof registration>): FoundBody {
  return { kind: "other", bytes: writeFields(registration, values) };
}

function kindOf(type: number): FoundBody["kind"] {
  switch (type) {
    case DOCUMENT_TYPES.receipt:
    case DOCUMENT_TYPES.strictForm:
    case DOCUMENT_TYPES.correction:
    case DOCUMENT_TYPES.strictFormCorrection:
      return "receipt";
    case DOCUMENT_TYPES.openShift:
    case DOCUMENT_TYPES.closeShift:
      return "shift";
    default:
      return "other";
  }
}
