import type { Deadline } from "../../../kernel/deadline.ts";
import { isSumsOnly } from "../../../model/correction.ts";
import type { SettlementSign, TradeDocument } from "../../../model/document.ts";
import type { MarkReader } from "../../../model/marks/marks.ts";
import { tagsAround } from "../../tags/settlement.ts";
import type { Requisite } from "../../tags/tags.ts";
import { encodeRequisites } from "../../tags/tlv.ts";
import type { CommandName, RequestOf } from "../commands/commands.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Called } from "../session/caller.ts";
import type { Connection, Passwords } from "../session/connection.ts";
import { callWhenPrinted } from "../session/printing.ts";
import { type SentLine, sentLine } from "./receipt-lines.ts";
import { checkRequest, MAX_TLV_BYTES, withinLimit } from "./request-size.ts";

/** A command before the registering command. It registers nothing. */
export interface Step {
  name: CommandName;
  send(connection: Connection, deadline: Deadline): Promise<Called<CommandName>>;
}

/** Throws RangeError for values that do not fit the command. */
export function step<N extends CommandName>(name: N, values: RequestOf<N>): Step {
  checkRequest(name, values);
  return { name, send: (connection, deadline) => callWhenPrinted(connection, name, values, deadline) };
}

/** Types of 8Dh. Their numbers differ from the operations of FF46 (shtrih-protocol 5.7). */
const TYPES: Record<SettlementSign, number> = { 1: 0, 2: 2, 3: 1, 4: 3 };
/** Added to a type of 8Dh. The sum opens a correction of format 1.1 or later. */
const CORRECTION_TYPES = 0x80;
/** The tags of a correction's basis. In FF4A the kind of the basis is a field and not a tag. */
const BASIS = 1174;
const KIND_AND_BASIS = [1173, BASIS];

/**
 * Returns a receipt's commands before its closing, in the device's order. From `tagsAround` only `place`, `buyer`, `extra`, 1173 and
 * 1174 are sent as tags. Other commands have fields for the rest. Throws RangeError, or a Failure of kind `fault`, when a value fits no
 * command.
 */
export function receiptSteps(document: TradeDocument, known: KnownDevice, passwords: Passwords, readMark: MarkReader): Step[] {
  const { ffd } = known.identity;
  const { place, kind, buyer, extra } = tagsAround(elsewhere(document, known), ffd);
  const sumsOnly = isSumsOnly(document, ffd);
  const basis = kind.filter(({ tag }) => (sumsOnly ? tag === BASIS : KIND_AND_BASIS.includes(tag)));
  const tags = tagSteps([...place, ...basis, ...buyer, ...extra], passwords);
  if (sumsOnly) return [step("beginCorrection", { password: passwords.system }), ...tags];
  const type = TYPES[document.sign] + (document.kind === "correction" ? CORRECTION_TYPES : 0);
  return [
    step("openReceipt", { password: passwords.operator, type }),
    ...tags,
    ...document.lines.flatMap((line) => lineSteps(sentLine(line, document.sign, known, readMark), known, passwords)),
  ];
}

/** Removes an `address` or `place` that equals the registration's, because the device itself adds the registration's values. */
export function elsewhere<D extends { address?: string; place?: string }>(document: D, { identity }: KnownDevice): D {
  const placed = { ...document };
  if (placed.address === identity.address) delete placed.address;
  if (placed.place === identity.place) delete placed.place;
  return placed;
}

/** The block size for loading a TLV that is too long for FF0C (shtrih-protocol 5.7). */
const BLOCK_BYTES = 64;
const TLV_BLOCKS = 1;

/** Returns the commands for a document's tags. */
export function tagSteps(requisites: readonly Requisite[], { system }: Passwords): Step[] {
  return requisites.flatMap((requisite) => {
    const tlv = encodeRequisites([withinLimit(requisite)]);
    if (tlv.length <= MAX_TLV_BYTES) return [step("documentTags", { password: system, tlv })];
    const blocks = Array.from({ length: Math.ceil(tlv.length / BLOCK_BYTES) }, (_, block) => {
      const data = Buffer.alloc(BLOCK_BYTES);
      tlv.copy(data, 0, block * BLOCK_BYTES);
      return step("loadData", { password: system, type: TLV_BLOCKS, block, data });
    });
    return [...blocks, step("loadedTags", { password: system })];
  });
}

/**
 * Returns the commands of a position. Most devices expect tags after the position; devices with `tagsBeforeItem` expect them before it
 * (shtrih-protocol 5.7, FF4D).
 */
function lineSteps({ operation, tags, mark }: SentLine, { abilities }: KnownDevice, { operator, system }: Passwords): Step[] {
  const position = step("operation", { password: operator, ...operation });
  const more = [
    ...tags.map((tlv) => step("itemTags", { password: operator, tlv })),
    ...(mark === undefined ? [] : [step("bindMark", { password: system, code: mark })]),
  ];
  return abilities.tagsBeforeItem ? [...more, position] : [position, ...more];
}
