import { at, childOf, childrenOf, namesOf, textAt } from "../../descriptor/find.ts";
import type { Element } from "../../descriptor/xml.ts";
import type { Group } from "../rule.ts";
import { overBlock, overRoot } from "./rules-of.ts";

const OPERATION_TYPES = [
  "openShift",
  "closeShift",
  "retailDemand",
  "retailSalesReturn",
  "retailDrawerCashIn",
  "retailDrawerCashOut",
  "prepayment",
  "prepaymentReturn",
  "advance",
  "advanceReturn",
];
const PAYMENT_TYPES = ["cash", "card", "cashCard", "qr", "advance", "prepaymentCash", "prepaymentCard", "prepaymentQr"];
/** The order of children in every published sample. */
const ORDERS: Record<string, readonly string[]> = {
  vendorApi: ["endpointBase", "additionalEvents"],
  access: ["resource", "scope", "permissions"],
  fiscalApi: ["endpointBase", "operationTypes", "paymentTypes"],
};
const PROVIDER_ORDER = ["name", "qrType", "endpointBase"];

export const interfacesGroup: Group = {
  id: "descriptor/interfaces",
  rules: [
    overRoot(
      {
        id: "descriptor/interfaces/vendor-api",
        title: "there is a vendorApi with its base",
        source: "seed",
        clause: "seed, Descriptor elements; platform-contracts 2.2",
        expected: "vendorApi/endpointBase holds an address; without it the platform never calls activation, and no other block works",
        mend: "Add <vendorApi><endpointBase>https://…</endpointBase></vendorApi>.",
      },
      (root) => ((textAt(root, "vendorApi", "endpointBase") ?? "") === "" ? ["vendorApi/endpointBase is missing or empty"] : []),
    ),
    overBlock(
      {
        id: "descriptor/interfaces/additional-events",
        title: "additionalEvents holds an empty updatePermissions",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "<additionalEvents><updatePermissions/></additionalEvents>, or no additionalEvents at all",
        mend: "Leave only the empty element updatePermissions there.",
      },
      ["vendorApi", "additionalEvents"],
      (events) => (isEmptyList(events, ["updatePermissions"]) ? [] : [`it holds ${namesOf(events).join(", ") || "nothing"}`]),
    ),
    overBlock(
      {
        id: "descriptor/interfaces/fiscal-base",
        title: "fiscalApi has a base",
        source: "seed",
        clause: "seed, Descriptor elements",
        expected: "fiscalApi/endpointBase holds the address below which /1/openshift and the other paths are served",
        mend: "Add <endpointBase>https://…</endpointBase> to fiscalApi.",
      },
      ["fiscalApi"],
      (fiscal) => ((textAt(fiscal, "endpointBase") ?? "") === "" ? ["fiscalApi/endpointBase is missing or empty"] : []),
    ),
    overBlock(
      {
        id: "descriptor/interfaces/operation-types",
        title: "operationTypes names operations that exist",
        source: "seed",
        clause: "seed, Descriptor elements; platform-contracts 2.4",
        expected: `empty elements, each once, at least one, out of ${OPERATION_TYPES.join(", ")}`,
        mend: "An operation that is not listed is simply not sent: list those that the server serves, spelled exactly so.",
      },
      ["fiscalApi"],
      (fiscal) => problemsOfList(fiscal, "operationTypes", OPERATION_TYPES),
    ),
    overBlock(
      {
        id: "descriptor/interfaces/payment-types",
        title: "paymentTypes names ways to pay that exist",
        source: "seed",
        clause: "seed, Descriptor elements; platform-contracts 2.4",
        expected: `empty elements, each once, at least one, out of ${PAYMENT_TYPES.join(", ")}`,
        mend: "They limit what the cashier may choose: list those that the server registers, spelled exactly so.",
      },
      ["fiscalApi"],
      (fiscal) => problemsOfList(fiscal, "paymentTypes", PAYMENT_TYPES),
    ),
    overBlock(
      {
        id: "descriptor/interfaces/qr-providers",
        title: "qrPayApi has a provider that the platform can call",
        source: "seed",
        clause: "seed, QR payment fields; platform-contracts 2.2",
        expected:
          "one or more paymentProvider with name, qrType and endpointBase; only the first is called, and its qrType is MERCHANT_GENERATED_DYNAMIC",
        mend: "Fill in the three children of each paymentProvider; no other qrType is supported by the platform.",
      },
      ["qrPayApi"],
      (qr) => {
        const providers = childrenOf(qr, "paymentProvider");
        const gaps = providers.flatMap((provider) =>
          PROVIDER_ORDER.filter((name) => (textAt(provider, name) ?? "") === "").map((name) => `a paymentProvider has no ${name}`),
        );
        const type = textAt(qr, "paymentProvider", "qrType");
        const wrongType = type === undefined || type === "MERCHANT_GENERATED_DYNAMIC" ? [] : [`the first qrType is ${type}`];
        return providers.length === 0 ? ["there is no paymentProvider"] : [...gaps, ...wrongType];
      },
    ),
    overBlock(
      {
        id: "descriptor/interfaces/loyalty",
        title: "loyaltyApi is empty",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "<loyaltyApi/> without children, text or attributes: the programme's address and key are told by a call, not here",
        mend: "Leave only the empty element, and send the address and the key with PUT …/loyalty once the solution is installed.",
      },
      ["loyaltyApi"],
      (loyalty) => (isEmpty(loyalty) ? [] : ["loyaltyApi is not empty"]),
    ),
    overRoot(
      {
        id: "descriptor/interfaces/order",
        title: "children stand in the order of the published samples",
        source: "decided",
        clause: "platform-contracts 2.1",
        expected:
          "vendorApi: endpointBase, additionalEvents; access: resource, scope, permissions; fiscalApi: endpointBase, operationTypes, paymentTypes; paymentProvider: name, qrType, endpointBase",
        mend: "Blocks may stand in any order, but nothing says so of what is inside of one: keep to the samples' order.",
      },
      (root) => [
        ...Object.entries(ORDERS).flatMap(([name, order]) => problemsOfOrder(childOf(root, name), order)),
        ...childrenOf(at(root, "qrPayApi") ?? root, "paymentProvider").flatMap((provider) => problemsOfOrder(provider, PROVIDER_ORDER)),
      ],
    ),
  ],
};

function isEmpty({ children, text, attributes }: Element): boolean {
  return children.length === 0 && text.trim() === "" && attributes.size === 0;
}

function problemsOfList(block: Element, name: string, known: readonly string[]): string[] {
  const list = childOf(block, name);
  if (list === undefined || list.children.length === 0) return [`${name} is missing or empty`];
  const names = namesOf(list);
  return [
    ...names.filter((child) => !known.includes(child)).map((child) => `${name} holds ${child}, which is not known`),
    ...names.filter((child, index) => names.indexOf(child) < index).map((child) => `${name} holds ${child} twice`),
    ...list.children.filter((child) => child.children.length > 0 || child.text !== "").map((child) => `${name}/${child.name} is not empty`),
  ];
}

function isEmptyList(list: Element, allowed: readonly string[]): boolean {
  return (
    list.children.length === allowed.length &&
    list.children.every((child) => allowed.includes(child.name) && child.children.length === 0 && child.text === "")
  );
}

function problemsOfOrder(block: Element | undefined, order: readonly string[]): string[] {
  if (block === undefined) return [];
  const places = namesOf(block).map((name) => order.indexOf(name));
  const sorted = places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0));
  return sorted ? [] : [`${block.name} holds ${namesOf(block).join(", ")}`];
}
