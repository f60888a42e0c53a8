import {
  type AnyRequest,
  type CommandName,
  decodeRequest,
  EXTENDED,
  encodeAnswer,
  encodeError,
  encodeUnknown,
  type RequestOf,
} from "../../commands/commands.ts";
import { admit } from "../line/access.ts";
import { ERROR } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { CORRECTION_HANDLERS } from "./correction.ts";
import { DRIVE_HANDLERS } from "./drive.ts";
import type { Handler, Handlers } from "./handler.ts";
import { PRINT_HANDLERS } from "./print.ts";
import { RECEIPT_HANDLERS } from "./receipt.ts";
import { SHIFT_HANDLERS } from "./shift.ts";
import { STATUS_HANDLERS } from "./status.ts";
import { TABLE_HANDLERS } from "./tables.ts";
import { TAG_HANDLERS } from "./tags.ts";

const HANDLERS: Handlers = {
  ...STATUS_HANDLERS,
  ...TABLE_HANDLERS,
  ...PRINT_HANDLERS,
  ...SHIFT_HANDLERS,
  ...RECEIPT_HANDLERS,
  ...CORRECTION_HANDLERS,
  ...TAG_HANDLERS,
  ...DRIVE_HANDLERS,
};

/**
 * Carries out the command in a frame's DATA and returns the answer's DATA. Throws a Failure when a storage fails or the virtual device is
 * silent.
 */
export async function carryOut(machine: Machine, data: Buffer): Promise<Buffer> {
  const decoded = decodeRequest(data);
  switch (decoded.kind) {
    case "unknown":
      return refuse(machine, ERROR.notSupported, unknown(machine, data));
    case "wrong-length":
      return refuse(machine, ERROR.wrongLength, encodeError(decoded.name, ERROR.wrongLength));
    case "request":
      return answer(machine, decoded);
  }
}

async function answer(machine: Machine, request: AnyRequest): Promise<Buffer> {
  const { name } = request;
  if (HANDLERS[name] === undefined)
    return refuse(machine, ERROR.notSupported, encodeError(name, ERROR.notSupported, formOf(machine, name)));
  const admission = admit(machine, request);
  if (admission.kind === "refused") return refuse(machine, admission.error, encodeError(name, admission.error));
  // The name decides the type of the values. The compiler cannot see this through the table.
  return handle(machine, name, request.values as never, admission.operator);
}

async function handle<N extends CommandName>(machine: Machine, name: N, values: RequestOf<N>, operator: number): Promise<Buffer> {
  const handler = HANDLERS[name] as Handler<N>;
  const carried = await handler(machine, values, operator);
  if (typeof carried === "number") return refuse(machine, carried, encodeError(name, carried));
  return encodeAnswer(name, carried);
}

function refuse(machine: Machine, error: number, data: Buffer): Buffer {
  machine.lastError = error;
  return data;
}

function formOf({ personality }: Machine, name: CommandName): "full" | "short" {
  return personality.shortErrors && encodeError(name, 0)[0] === EXTENDED ? "short" : "full";
}

/**
 * Returns the answer to an unknown command. For an FF command it is `FF 37` or `FF XX 37`, depending on the firmware (shtrih-protocol 4.2).
 */
function unknown({ personality }: Machine, data: Buffer): Buffer {
  if (personality.shortErrors && data[0] === EXTENDED) return Buffer.of(EXTENDED, ERROR.notSupported);
  return encodeUnknown(data, ERROR.notSupported);
}
