import { inventMark } from "../../../sandbox/caller/marks.ts";
import { GOODS } from "../../../sandbox/caller/shop.ts";
import { SeededRandom } from "../../../seeded-random.ts";
import { inTurn } from "../../exchanges/check-result.ts";
import type { Body } from "../../play/till.ts";
import type { Group } from "../rule.ts";
import { taken, withPosition } from "./sales.ts";

/** Unusual but correct sales (platform-contracts 4.4, 4.5, 7, 9). */
export const toleranceGroup: Group = {
  id: "fiscal/tolerance",
  needs: ["fiscal/answer/retaildemand"],
  rules: [
    {
      id: "fiscal/tolerance/unknown-fields",
      title: "fields that nobody knows yet are ignored",
      source: "public",
      clause: "platform-contracts 7, Tolerance",
      expected: "200 for a sale with further fields in the body and in a position: the platform promises to add fields without asking",
      mend: "Do not let the schema of the body refuse additional properties.",
      check: (scene) => taken(scene, (till) => ({ ...withPosition(till, { addedLater: 1 }), brandNew: { deep: [1, 2] } })),
    },
    {
      id: "fiscal/tolerance/optional-fields",
      title: "optional fields may be missing or null",
      source: "public",
      clause: "platform-contracts 4.4, 7",
      expected:
        "200 for a sale without phone, email, customerOrder, vatEnabled, vatIncluded, and a position without uom, discount, pack and marks; and for the same fields as null",
      mend: "Make the fields optional, and treat null as absent.",
      check: (scene) =>
        inTurn(
          [undefined, null],
          (gap) => (gap === null ? "fields that are null" : "fields left out"),
          (gap) =>
            taken(scene, (till) => ({
              ...withPosition(till, { uom: gap, discount: gap, pack: gap, marks: gap }),
              ...{ phone: gap, email: gap, customerOrder: gap, vatEnabled: gap, vatIncluded: gap },
            })),
        ),
    },
    {
      id: "fiscal/tolerance/numbers-and-texts",
      title: "a number may come as a text, and a text as a number",
      source: "decided",
      clause: "platform-contracts 7, Tolerance",
      expected: '200 for "quantity":"2", "price":54.9, "vat":"10" and payments as numbers',
      mend: "Accept both for every amount, quantity and rate; read the number from its own text, not by way of a float.",
      check: (scene) =>
        taken(scene, (till) => ({
          ...withPosition(till, { quantity: "2", price: 54.9, vat: "10" }),
          payments: { cashSum: 109.8, cardSum: 0 },
        })),
    },
    {
      id: "fiscal/tolerance/store-spelling",
      title: "retailstore and retailStore are the same",
      source: "decided",
      clause: "platform-contracts 4.4, 9",
      expected: "200 for either spelling: the public table has retailStore, its samples have retailstore",
      mend: "Accept the field under both names, in every operation.",
      check: (scene) =>
        inTurn(
          ["retailstore", "retailStore"],
          (name) => name,
          (name) =>
            taken(scene, (till) => {
              const { retailstore, ...rest } = till.saleBody();
              return { ...rest, [name]: retailstore };
            }),
        ),
    },
    {
      id: "fiscal/tolerance/bare-references",
      title: "of a reference only meta.id is needed",
      source: "decided",
      clause: "platform-contracts 9; interface 6, References",
      expected: "200 when href, type and idType of every meta are missing: the samples' own are unreliable",
      mend: "Take the id, and never route or look up by href or type.",
      check: (scene) => taken(scene, (till) => bare(till.saleBody()) as Body),
    },
    {
      id: "fiscal/tolerance/sync-id",
      title: "a document may have an id that the till made",
      source: "public",
      clause: "platform-contracts 4.4",
      expected: "200 for a sale whose meta.idType is sync, with an href that contains /syncid/",
      mend: "Accept idType native and sync, and keep it with the id.",
      check: (scene) =>
        taken(scene, (till) => {
          const id = till.newId();
          const href = `${till.context.api}/entity/retaildemand/syncid/${id}`;
          return till.saleBody({ meta: { href, id, type: "RetailDemand", idType: "sync" } });
        }),
    },
    {
      id: "fiscal/tolerance/weighed-goods",
      title: "a quantity may be a fraction",
      source: "seed",
      clause: "seed, Position; platform-contracts 4.5",
      expected: "200 for 0.356 kg at 899.00, paid 320.04: price × quantity is rounded to the kopeck once, half up",
      mend: "Read the quantity exactly, and round only the line's total.",
      check: (scene) => taken(scene, (till) => till.saleBody({}, [{ goods: GOODS.cheese, quantityThousandths: 356 }])),
    },
    {
      id: "fiscal/tolerance/mark-up",
      title: "a discount may be negative",
      source: "public",
      clause: "platform-contracts 4.5",
      expected: '200 for "discount":"-10": it is a percentage, and below zero a mark-up',
      mend: "Accept discounts of either sign.",
      check: (scene) =>
        taken(scene, (till) => till.saleBody({}, [{ goods: GOODS.soap, quantityThousandths: 1000, discountHundredths: -10_00 }])),
    },
    {
      id: "fiscal/tolerance/marks",
      title: "a marking code may be a text or an object",
      source: "public",
      clause: "platform-contracts 4.4, 9; seed, Position",
      expected: '200 for "marks":["…"] and "marks":[{"cis":"…"}], with the separator 0x1D inside of the code',
      mend: "Accept both forms, and keep the bytes of the code exact.",
      check: (scene) => {
        const random = new SeededRandom(scene.services.chance.bytes(4).readUInt32LE());
        return inTurn(
          ["text", "object"],
          (form) => `a mark as ${form}`,
          (form) => {
            const mark = inventMark(GOODS.shoes.marked.group, GOODS.shoes.marked.gtin, random);
            const marks = [form === "text" ? mark : { cis: mark }];
            return taken(scene, (till) => till.saleBody({}, [{ goods: GOODS.shoes, quantityThousandths: 1000, marks }]));
          },
        );
      },
    },
    {
      id: "fiscal/tolerance/contact",
      title: "a contact of the buyer's never stops a sale",
      source: "decided",
      clause: "platform-contracts 4.4; fiscal-receipts 4.9",
      expected: "200 for a sale with a phone and an email, and with texts there that are neither",
      mend: "Leave an invalid contact out of the document instead of refusing it.",
      check: (scene) =>
        inTurn(
          [
            { phone: "+70000000000", email: "buyer@mail.example" },
            { phone: "call me", email: "no address" },
          ],
          ({ phone }) => `phone "${phone}"`,
          (contact) => taken(scene, (till) => till.saleBody(contact)),
        ),
    },
  ],
};

/** Returns the value with only the id in every meta. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => [
    name,
    name === "meta" && typeof inner === "object" && inner !== null && "id" in inner ? { id: inner.id } : bare(inner),
  ]);
  return Object.fromEntries(entries);
}
