import type { Account } from "../../account/account.ts";
import { liesIn } from "../../account/lies-in.ts";
import { refused } from "../../call/refusal.ts";
import { type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { GOODS_TAX_SYSTEM } from "../shapes.ts";
import { joined, movePath, pathNameIn } from "./path-names.ts";
import { completeVat, effectiveVat, settleVat } from "./vat.ts";

/** Folders of goods. Goods get their `pathName` from the folder. Goods that use the folder's VAT rate get this rate, too. */
export const PRODUCT_FOLDER: EntityType = {
  ...DIRECTORY,
  name: "productfolder",
  webName: "good",
  attributesOf: "productfolder",
  fields: entityTable(`
    archived             bool               out E
    attributes           attributes         A
    effectiveVat         int                ro
    effectiveVatEnabled  bool               ro
    pathName             string(4096)       ro out T
    productFolder        ref:productfolder  exp E
    taxSystem            ${GOODS_TAX_SYSTEM}
    useParentVat         bool               out
    vat                  int
    vatEnabled           bool
  `),
  search: { match: "word-prefix", fields: ["name", "code"] },
  order: [..."id version updated updatedBy name description code externalCode archived pathName".split(" ")],
  complete: (draft) => ({ archived: false, pathName: "", ...completeVat(draft), ...draft }),
  settle,
  derive: (folder, account) => ({ ...effectiveVat(folder, account), ...effectiveTaxSystem(folder, account) }),
};

const SAME_AS_GROUP = "TAX_SYSTEM_SAME_AS_GROUP";
/** The maximum number of nested folders in the search for a tax system. */
const MAX_FOLDERS = 20;

/**
 * Returns the tax system of a folder with TAX_SYSTEM_SAME_AS_GROUP: the tax system of the nearest folder above without this value (json-api
 * 13.11). Returns nothing for other folders, or if this nearest folder is missing or has no tax system.
 */
function effectiveTaxSystem({ values }: Stored, account: Account): Values {
  let above: Values | undefined = values;
  for (let level = 0; level < MAX_FOLDERS && above?.taxSystem === SAME_AS_GROUP; level += 1) {
    above = account.objects.pointedBy(above.productFolder)?.values;
  }
  return above?.taxSystem === undefined || above === values ? {} : { taxSystem: above.taxSystem };
}

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  const { account } = writing;
  if (before !== undefined && liesIn(draft.productFolder, before, "productFolder", writing)) {
    throw refused(3007, "productFolder", "группа не может лежать в самой себе");
  }
  const settled = withoutEmpty({
    ...draft,
    ...settleVat(draft, before, writing),
    pathName: pathNameIn(draft.productFolder, account),
  });
  const moved = settled.name !== before?.values.name || settled.pathName !== before?.values.pathName;
  if (before !== undefined && moved) movePath(before, joined(String(settled.pathName), String(settled.name)), account);
  return settled;
}
