import { createHash } from "node:crypto";
import { money, uint } from "../protocol/bytes.ts";
import { type Tag, textTag, tlv, vln } from "../protocol/tlv.ts";
import type { Identity } from "./identity.ts";
import { dt5, type Moment, unixSeconds } from "./moment.ts";
import { type Item, itemTag, type OpenReceipt, type Payment } from "./receipt.ts";
import { Refused } from "./refused.ts";

export type Kept = {
  readonly type: number;
  readonly number: number;
  readonly sign: number;
  readonly moment: Moment;
  readonly shift: number;
  readonly operation?: number;
  readonly totalKopecks?: number;
  readonly changeKopecks?: number;
  readonly payment?: Payment;
  readonly items?: readonly Item[];
  readonly sent: readonly Tag[];
  readonly parts: readonly Buffer[];
};

/** What the fiscal drive remembers: numbered documents, found by FF0A and read by FF3A and FF3B. */
export class Drive {
  readonly #identity: Identity;
  readonly documents: Kept[] = [];

  constructor(identity: Identity, moment: Moment) {
    this.#identity = identity;
    this.#keep(1, moment, 0, [], []);
  }

  get last(): Kept {
    const last = this.documents.at(-1);
    if (last === undefined) throw new Refused(0x02, "no registration");
    return last;
  }

  find(number: number): Kept {
    const found = this.documents.find((one) => one.number === number);
    if (found === undefined) throw new Refused(0x08, `no document ${number}`);
    return found;
  }

  /** The part of the answer to FF0A after its error byte (shtrih-protocol 5.8). */
  found(number: number): Buffer {
    const { type, moment, sign, shift, operation = 0, totalKopecks = 0 } = this.find(number);
    const head = Buffer.concat([Buffer.of(type, 0), dt5(moment), uint(number, 4), uint(sign, 4)]);
    if (type === 2 || type === 5) return Buffer.concat([head, uint(shift, 2)]);
    if (type === 3) return Buffer.concat([head, uint(operation, 1), money(totalKopecks)]);
    return Buffer.concat([head, this.registration()]);
  }

  registration(): Buffer {
    const { inn, registration, taxSystems } = this.#identity;
    return Buffer.concat([Buffer.from(inn.padEnd(12)), Buffer.from(registration.padEnd(20)), Buffer.of(taxSystems, 0)]);
  }

  openShift(moment: Moment, shift: number, tags: readonly Tag[]): Kept {
    return this.#keep(2, moment, shift, [tlv(1038, uint(shift, 4))], tags);
  }

  /** Tag 1118 counts the receipts of the shift. Tag 1111 counts its documents, including both reports. */
  closeShift(moment: Moment, shift: number, receipts: number, tags: readonly Tag[]): Kept {
    const documents = this.documents.filter((one) => one.shift === shift).length + 1;
    const own = [tlv(1038, uint(shift, 4)), tlv(1118, uint(receipts, 4)), tlv(1111, uint(documents, 4)), tlv(1097, uint(0, 4))];
    return this.#keep(5, moment, shift, own, tags);
  }

  receipt(receipt: OpenReceipt, payment: Payment, moment: Moment, shift: number, number: number): Kept {
    const slot = (from: number, to = from) => payment.slots.slice(from - 1, to).reduce((sum, part) => sum + part, 0);
    const own = [
      tlv(1038, uint(shift, 4)),
      tlv(1042, uint(number, 4)),
      tlv(1054, Buffer.of(receipt.operation)),
      tlv(1055, Buffer.of(payment.taxSystem || 1)),
      ...receipt.items.map(itemTag),
      tlv(1020, vln(receipt.totalKopecks)),
      tlv(1031, vln(payment.cashKopecks)),
      tlv(1081, vln(slot(2, 13))),
      tlv(1215, vln(slot(14))),
      tlv(1216, vln(slot(15))),
      tlv(1217, vln(slot(16))),
      ...taxTags(receipt.items),
    ];
    const { operation, totalKopecks, items } = receipt;
    const { changeKopecks } = payment;
    return this.#keep(3, moment, shift, own, receipt.tags, { operation, totalKopecks, changeKopecks, payment, items: [...items] });
  }

  #keep(type: number, moment: Moment, shift: number, own: readonly Buffer[], sent: readonly Tag[], more: Partial<Kept> = {}): Kept {
    const { drive, registration, factory, inn, user, address, place, format } = this.#identity;
    const number = this.documents.length + 1;
    const sign = createHash("sha256").update(`${drive} ${number}`).digest().readUInt32LE(0);
    const signed = Buffer.alloc(6);
    signed.writeUInt16LE(0x0431, 0);
    signed.writeUInt32BE(sign, 2);
    const parts = [
      tlv(1209, Buffer.of(format)),
      textTag(1048, user),
      textTag(1018, inn.padEnd(12)),
      textTag(1009, address),
      textTag(1187, place),
      textTag(1037, registration.padEnd(20)),
      textTag(1013, factory),
      textTag(1041, drive),
      tlv(1040, uint(number, 4)),
      tlv(1012, uint(unixSeconds(moment), 4)),
      ...sent.map(({ tag, value }) => tlv(tag, value)),
      ...own,
      tlv(1077, signed),
    ];
    const kept: Kept = { type, number, sign, moment, shift, sent: [...sent], parts, ...more };
    this.documents.push(kept);
    return kept;
  }
}

/** The tags 1102 to 1107, each for a code of tag 1199. 1104 and 1105 hold turnover, and the others hold tax. */
const taxTags = (items: readonly Item[]): readonly Buffer[] => {
  const tags: readonly (readonly [number, number])[] = [
    [1, 1102],
    [2, 1103],
    [5, 1104],
    [6, 1105],
    [3, 1106],
    [4, 1107],
  ];
  return tags.flatMap(([code, tag]) => {
    const mine = items.filter((item) => item.vatCode === code);
    const sum = mine.reduce((total, item) => total + (tag === 1104 || tag === 1105 ? item.totalKopecks : item.vatKopecks), 0);
    return mine.length === 0 ? [] : [tlv(tag, vln(sum))];
  });
};
