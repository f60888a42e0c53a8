import { CASHIER } from "./cashier.ts";
import { entity } from "./entity-type.ts";
import { bool, choice, kind, number, ref, refs, text, texts } from "./field.ts";
import type { Nested, Ref, RefInput } from "./meta.ts";
import { address, EDITOR_FILTER, OWNED, priceType, taxSystem } from "./shapes.ts";

/** The device, the software and the register of a point of sale. */
interface Environment {
  readonly device?: string | null;
  readonly os?: string | null;
  readonly software?: { readonly name?: string; readonly vendor?: string; readonly version?: string } | null;
  readonly chequePrinter?: {
    readonly name?: string;
    readonly vendor?: string;
    readonly serial?: string;
    readonly firmwareVersion?: string;
    readonly fiscalDataVersion?: string;
    readonly fiscalMemory?: { readonly fiscalDataVersion?: string; readonly fiscalValidityDate?: string } | null;
  } | null;
}

/** Points of sale (json-api 12.6). They have no additional fields, no states and no syncId. */
export const RETAIL_STORE = entity({
  name: "retailstore",
  fields: {
    ...OWNED,
    acquire: ref("counterparty")("expand"),
    active: bool("kept", "E"),
    address: text("kept", "T"),
    addressFull: address(),
    allowCreateProducts: bool("kept"),
    allowCustomPrice: bool("kept"),
    allowDeleteReceiptPositions: bool("kept"),
    allowSellTobaccoWithoutMRC: bool("kept"),
    archived: bool("kept"),
    authTokenAttached: bool("readOnly"),
    bankPercent: number(),
    /** When read, the list contains cashiers; when written, it takes employees. */
    cashiers: kind<Nested<typeof CASHIER>, readonly RefInput<"employee">[]>()("expand"),
    controlCashierChoice: bool("kept"),
    controlShippingStock: bool("kept"),
    createAgentsTags: texts(),
    createCashInOnRetailShiftClosing: bool("kept"),
    createOrderWithState: ref("state")("expand"),
    createPaymentInOnRetailShiftClosing: bool("kept"),
    customerOrderStates: kind<readonly Ref<"state">[], readonly RefInput<"state">[]>()("expand"),
    defaultTaxSystem: taxSystem("kept"),
    demandPrefix: text(),
    description: text("T"),
    discountEnable: bool("kept"),
    discountMaxPercent: number(),
    enableReturnsWithNoReason: bool("kept"),
    environment: kind<Environment>()("readOnly"),
    externalCode: text("readOnly", "T"),
    filterAgentsTags: texts(),
    fiscalType: choice<"STANDARD" | "MASTER" | "CLOUD">()("kept"),
    idQR: text(),
    issueOrders: bool("kept"),
    /** Deprecated. */
    lastOperationNames: kind<readonly { readonly entity: string; readonly name: string }[]>()("readOnly"),
    markingSellingMode: choice<"CORRECT_MARKS_ONLY" | "WITHOUT_ERRORS" | "ALL">()("kept"),
    marksCheckMode: choice<"CORRECT_MARKS_ONLY" | "WITHOUT_ERRORS" | "ALL" | "ALL_CHECKED">()("kept"),
    masterRetailStores: refs("retailstore")("expand"),
    minionToMasterType: choice<"ANY" | "SAME_GROUP" | "CHOSEN">()("kept"),
    name: text("required", "T"),
    ofdEnabled: bool("readOnly"),
    onlyInStock: bool("kept"),
    orderTaxSystem: taxSystem("kept"),
    orderToState: ref("state")("expand"),
    organization: ref("organization")("required", "expand", "E"),
    priceType: priceType("required"),
    printAlways: bool("kept"),
    priorityOfdSend: choice<"phone" | "email" | "none">()("kept"),
    productFolders: refs("productfolder")("expand"),
    qrAcquire: ref("counterparty")("expand"),
    qrBankPercent: number(),
    qrPayEnabled: bool("kept"),
    qrTerminalId: text(),
    receiptTemplate: ref("embeddedtemplate")("expand"),
    requiredBirthdate: bool("kept"),
    requiredDiscountCardNumber: bool("kept"),
    requiredEmail: bool("kept"),
    requiredFio: bool("kept"),
    requiredPhone: bool("kept"),
    requiredSex: bool("kept"),
    reservePrepaidGoods: bool("kept"),
    returnFromClosedShiftEnabled: bool("kept"),
    sellReserves: bool("kept"),
    sendMarksForCheck: bool("kept"),
    sendMarksToChestnyZnakOnCloud: bool("kept"),
    showBeerOnTap: bool("kept"),
    state: kind<Readonly<Record<string, unknown>>>()("readOnly"),
    store: ref("store")("required", "expand", "E"),
    syncAgents: bool("kept"),
    tobaccoMrcControlType: choice<"USER_PRICE" | "MRC_PRICE" | "SAME_PRICE">()("kept"),
  },
  keys: EDITOR_FILTER,
  order: ["id", "version", "updated", "updatedBy", "name", "description", "externalCode", "address", "active"],
  lists: { cashiers: CASHIER },
});
