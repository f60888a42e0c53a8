import { at, childOf, childrenOf, namesOf, textAt } from "../../descriptor/find.ts";
import type { Element } from "../../descriptor/xml.ts";
import type { Group } from "../rule.ts";
import { overBlock, overRoot } from "./rules-of.ts";

const FLAGS = [
  "viewDashboard",
  "viewAudit",
  "viewSaleProfit",
  "viewProfitAndLoss",
  "viewProductCostAndProfit",
  "viewCompanyCRM",
  "viewTurnover",
  "viewMoneyDashboard",
  "viewStockReport",
  "viewCustomerBalanceList",
];
const PAIRS = [
  ["useOwnWebhooks", "useAllWebhooks"],
  ["useOwnAttributeMetadata", "useAllAttributeMetadata"],
] as const;
const RIGHTS = ["view", "create", "update", "delete", "print", "approve"];
const PERMISSIONS = ["access", "permissions"] as const;

export const accessGroup: Group = {
  id: "descriptor/access",
  rules: [
    overBlock(
      {
        id: "descriptor/access/resource",
        title: "access names the platform's JSON API",
        source: "seed",
        clause: "seed, Descriptor elements; platform-contracts 2.2",
        expected: "access/resource is {base_url}/api/remap/1.2, the only legal value",
        mend: "Write the address of the chosen profile's JSON API; leave the whole block out if no token of it is needed.",
      },
      ["access"],
      (access, { target }) => {
        const legal = `${target.profile.baseUrl}/api/remap/1.2`;
        const found = childrenOf(access, "resource").map(({ text }) => text);
        return found.length === 1 && found[0] === legal ? [] : [`resource is ${found.join(", ") || "missing"}, not ${legal}`];
      },
    ),
    overBlock(
      {
        id: "descriptor/access/scope",
        title: "the scope is admin or custom",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "access/scope is admin or custom",
        mend: "Write custom with the shortest list of permissions that works, or admin where nothing less will do.",
      },
      ["access"],
      (access) => (["admin", "custom"].includes(textAt(access, "scope") ?? "") ? [] : [`scope is ${textAt(access, "scope") ?? "missing"}`]),
    ),
    overBlock(
      {
        id: "descriptor/access/permissions-with-custom",
        title: "permissions stand under scope custom, and only there",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: "access/permissions is there when scope is custom, and left out when it is admin",
        mend: "Add permissions to a custom scope; take them out of an admin scope.",
      },
      ["access"],
      (access) => {
        const scope = textAt(access, "scope");
        const stands = childOf(access, "permissions") !== undefined;
        if (scope === "custom" && !stands) return ["scope custom has no permissions"];
        return scope === "admin" && stands ? ["permissions stand beside scope admin"] : [];
      },
    ),
    overBlock(
      {
        id: "descriptor/access/entity-rights",
        title: "entities carry rights that exist, view with any other, update with delete",
        source: "public",
        clause: "platform-contracts 2.3",
        expected: `an entity element holds any of ${RIGHTS.join(", ")}; view accompanies every other right; delete needs update`,
        mend: "Add <view/> to the entity, and <update/> where there is <delete/>; correct the spelling of rights that are not known.",
      },
      PERMISSIONS,
      (permissions) => entitiesIn(permissions).flatMap(problemsOfEntity),
    ),
    overRoot(
      {
        id: "descriptor/access/customers",
        title: "a solution with a loyalty programme may read customers",
        source: "decided",
        clause: "platform-contracts 2.3",
        expected: "company with view in access/permissions beside loyaltyApi, where the scope is custom",
        mend: "Add <company><view/></company>: the programme reads its members' names and phones in the platform.",
      },
      (root) => {
        const permissions = at(root, ...PERMISSIONS);
        if (childOf(root, "loyaltyApi") === undefined || permissions === undefined) return [];
        return at(permissions, "company", "view") === undefined ? ["permissions have no company with view"] : [];
      },
    ),
    overBlock(
      {
        id: "descriptor/access/one-of-each-pair",
        title: "own or all, never both",
        source: "public",
        clause: "platform-contracts 2.3",
        expected: "either useOwnWebhooks or useAllWebhooks; either useOwnAttributeMetadata or useAllAttributeMetadata",
        mend: "Take the weaker of the two out (use All… only if another solution's objects are needed).",
      },
      PERMISSIONS,
      (permissions) =>
        PAIRS.filter((pair) => pair.every((name) => childOf(permissions, name) !== undefined)).map((pair) => `both ${pair.join(" and ")}`),
    ),
  ],
};

/** Returns the entities: all elements that are neither flags nor members of a pair. */
function entitiesIn(permissions: Element): Element[] {
  const flags: string[] = [...FLAGS, ...PAIRS.flat()];
  return permissions.children.filter(({ name }) => !flags.includes(name));
}

function problemsOfEntity(entity: Element): string[] {
  const rights = namesOf(entity);
  return [
    ...(rights.length === 0 ? [`${entity.name} holds no right`] : []),
    ...rights.filter((right) => !RIGHTS.includes(right)).map((right) => `${entity.name} holds ${right}, which is no right`),
    ...(rights.length > 0 && !rights.includes("view") ? [`${entity.name} has ${rights.join(", ")} without view`] : []),
    ...(rights.includes("delete") && !rights.includes("update") ? [`${entity.name} has delete without update`] : []),
  ];
}
