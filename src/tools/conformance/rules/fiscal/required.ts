import type { FiscalOperation } from "../../../sandbox/caller/fiscal-operation.ts";
import { type CheckResult, held, inTurn } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { errorOf, type Sent } from "../../exchanges/sent.ts";
import { notDeclared } from "../../play/declared.ts";
import type { Body, Till } from "../../play/till.ts";
import type { Group, Rule } from "../rule.ts";
import { expectRefused } from "./answers.ts";

/**
 * The required fields of each operation, as in the public table (platform-contracts 4.4). The cashier is omitted, because the platform's
 * documents contradict each other about it.
 */
const REQUIRED: Record<FiscalOperation, readonly string[]> = {
  openshift: ["retailShift", "name", "retailstore", "openMoment"],
  retaildemand: ["meta", "retailShift", "name", "retailstore", "moment", "payments"],
  retaisalesreturn: ["meta", "retailShift", "name", "retailstore", "moment", "payments"],
  retaildrawercashin: ["meta", "retailShift", "name", "retailstore", "moment", "sum"],
  retaildrawercashout: ["meta", "retailShift", "name", "retailstore", "moment", "sum"],
  closeshift: ["retailShift", "name", "retailstore", "closeMoment"],
};
const POSITION_FIELDS = ["assortment", "quantity", "price"];
const MEND =
  "Require the field: answer 412 with code 999 before anything is sent to a register. Check the fields before you look whether the document is known.";

export const requiredGroup: Group = {
  id: "fiscal/required",
  needs: ["fiscal/error/shape", "fiscal/signature/accepted"],
  rules: [
    ...Object.entries(REQUIRED).map(([operation, fields]) => fieldsRule(operation as FiscalOperation, fields)),
    {
      id: "fiscal/required/positions",
      title: "a sale without positions is refused",
      source: "decided",
      clause: "platform-contracts 4.4",
      expected: "412 and 999 for a sale whose positions is missing, null or empty",
      mend: MEND,
      check: async (scene) => {
        const till = await scene.till();
        return inTurn(
          [undefined, null, []],
          (positions) => `positions ${JSON.stringify(positions) ?? "left out"}`,
          async (positions) => refused(await till.send("retaildemand", till.saleBody({ positions }))),
        );
      },
    },
    {
      id: "fiscal/required/position",
      title: "a position without goods, quantity or price is refused",
      source: "public",
      clause: "platform-contracts 4.4",
      expected: `412 and 999 when ${POSITION_FIELDS.join(", ")} or assortment.name is missing`,
      mend: MEND,
      check: async (scene) => {
        const till = await scene.till();
        return inTurn(
          [...POSITION_FIELDS, "assortment.name"],
          (field) => `position without ${field}`,
          async (field) => refused(await till.send("retaildemand", withoutInPosition(till, field))),
        );
      },
    },
    {
      id: "fiscal/required/parameter",
      title: "a refusal names the field at fault",
      source: "decided",
      clause: "platform-contracts 4.7; seed, Errors",
      expected:
        '412, code 999 and "parameter":"name" for a sale without a name; the path of the field, as positions[0].price, where it is inside',
      mend: "Put the field's name into parameter of the error: it is what the platform's people look at first.",
      needs: ["fiscal/required/retaildemand"],
      check: async (scene) => {
        const till = await scene.till();
        const sent = await till.send("retaildemand", without(till.saleBody(), "name"));
        return errorOf(sent)?.parameter === "name" ? held : broken(sent, 'the error\'s parameter is not "name"');
      },
    },
  ],
};

function fieldsRule(operation: FiscalOperation, fields: readonly string[]): Rule {
  return {
    id: `fiscal/required/${operation}`,
    title: `${operation} without a required field is refused`,
    source: "public",
    clause: "platform-contracts 4.4, 4.7",
    expected: `412 and 999 when one of ${fields.join(", ")} is missing or null (retailstore also counts as retailStore)`,
    mend: MEND,
    check: async (scene) => {
      const never = notDeclared(scene.target, operation);
      if (never !== undefined) return never;
      const till = await scene.till();
      return inTurn(
        [...fields.map((field) => ({ field, gap: "left out" })), ...fields.slice(-1).map((field) => ({ field, gap: "null" }))],
        ({ field, gap }) => `${field} ${gap}`,
        async ({ field, gap }) => {
          // `openshift` gets a new shift. A server may answer a known shift with the stored answer before it checks the fields.
          const fresh = operation === "openshift" ? { retailShift: { meta: { id: till.newId(), idType: "native" } } } : {};
          const body = { ...bodyOf(till, operation), ...fresh };
          return refused(await till.send(operation, gap === "null" ? { ...body, [field]: null } : without(body, field)));
        },
      );
    },
  };
}

function bodyOf(till: Till, operation: FiscalOperation): Body {
  switch (operation) {
    case "openshift":
      return till.shiftBody("open");
    case "closeshift":
      return till.shiftBody("close");
    case "retaildemand":
      return till.saleBody();
    case "retaisalesreturn":
      return till.returnBody(till.newId());
    case "retaildrawercashin":
      return till.cashBody("in", 100_00);
    case "retaildrawercashout":
      return till.cashBody("out", 100_00);
  }
}

function refused(sent: Sent): CheckResult {
  return expectRefused(sent, 412, 999);
}

function without(body: Body, field: string): Body {
  const { [field]: _, ...rest } = body;
  return rest;
}

function withoutInPosition(till: Till, path: string): Body {
  const body = till.saleBody();
  const [position] = body.positions as Body[];
  if (position === undefined) return body;
  const [field = "", inner] = path.split(".");
  const changed = inner === undefined ? without(position, field) : { ...position, [field]: without(position[field] as Body, inner) };
  return { ...body, positions: [changed] };
}
