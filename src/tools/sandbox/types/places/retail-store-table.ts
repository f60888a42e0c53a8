import { fieldTable, type Shapes } from "../field.ts";
import { SHAPES, TAX_SYSTEM } from "../shapes.ts";

const MARKS = "CORRECT_MARKS_ONLY|WITHOUT_ERRORS|ALL";

/** The table of a point of sale (json-api 12.6). */
export const RETAIL_STORE_ROWS = `
    accountId                            uuid         ro out E
    acquire                              ref:counterparty|organization  out exp
    active                               bool         out E
    address                              string(255)  T
    addressFull                          object:address
    allowCreateProducts                  bool         out
    allowCustomPrice                     bool         out
    allowDeleteReceiptPositions          bool         out
    allowSellTobaccoWithoutMRC           bool         out
    archived                             bool         out
    authTokenAttached                    bool         ro out
    bankPercent                          number
    cashiers                             list:cashier  out exp
    controlCashierChoice                 bool         out
    controlShippingStock                 bool         out
    createAgentsTags                     strings      nulls
    createCashInOnRetailShiftClosing     bool         out
    createOrderWithState                 ref:state    exp
    createPaymentInOnRetailShiftClosing  bool         out
    customerOrderStates                  refs:state   exp
    defaultTaxSystem                     ${TAX_SYSTEM}  out
    demandPrefix                         string(255)
    description                          string(4096)  T
    discountEnable                       bool         out
    discountMaxPercent                   int
    enableReturnsWithNoReason            bool         out
    environment                          json:object  ro out
    externalCode                         string(255)  ro out T
    filterAgentsTags                     strings      nulls
    fiscalType                           enum:STANDARD|MASTER|CLOUD  out
    group                                ref:group    out exp E
    id                                   uuid         ro out E
    idQR                                 string(255)
    issueOrders                          bool         out
    lastOperationNames                   objects:lastOperation  ro out
    markingSellingMode                   enum:${MARKS}  out
    marksCheckMode                       enum:${MARKS}|ALL_CHECKED  out
    masterRetailStores                   collection:retailstore  exp
    minionToMasterType                   enum:ANY|SAME_GROUP|CHOSEN  out
    name                                 string(255)  req out T
    ofdEnabled                           bool         ro out
    onlyInStock                          bool         out
    orderTaxSystem                       ${TAX_SYSTEM}  out
    orderToState                         ref:state    exp
    organization                         ref:organization  req out exp E
    owner                                ref:employee  exp E
    priceType                            whole:pricetype  req out
    printAlways                          bool         out
    priorityOfdSend                      enum:phone|email|none  out
    productFolders                       collection:productfolder  exp
    qrAcquire                            ref:counterparty|organization  exp
    qrBankPercent                        number
    qrPayEnabled                         bool         out
    qrTerminalId                         string(255)
    receiptTemplate                      ref:embeddedtemplate  exp
    requiredBirthdate                    bool         out
    requiredDiscountCardNumber           bool         out
    requiredEmail                        bool         out
    requiredFio                          bool         out
    requiredPhone                        bool         out
    requiredSex                          bool         out
    reservePrepaidGoods                  bool         out
    returnFromClosedShiftEnabled         bool         out
    sellReserves                         bool         out
    sendMarksForCheck                    bool         out
    sendMarksToChestnyZnakOnCloud        bool         out
    shared                               bool         out E
    showBeerOnTap                        bool         out
    state                                object:syncState  ro
    store                                ref:store    req out exp E
    syncAgents                           bool         out
    tobaccoMrcControlType                enum:USER_PRICE|MRC_PRICE|SAME_PRICE  out
    updated                              datetime     ro out C
`;

const FISCAL_ERROR = fieldTable(`
  code     string(255)
  message  string(4096)
`);

const FISCAL_MEMORY = fieldTable(
  `
  error                  object:fiscalError
  notSendDocCount        int
  notSendFirstDocMoment  datetime
`,
  { fiscalError: FISCAL_ERROR },
);

// The platform spells `lastAttempMoment` without the second t.
const SYNC = fieldTable(`
  message           string(4096)
  lastAttempMoment  datetime
`);

const SYNC_STATE = fieldTable(
  `
  sync             object:sync
  lastCheckMoment  datetime
  fiscalMemory     object:fiscalMemory
`,
  { sync: SYNC, fiscalMemory: FISCAL_MEMORY },
);

export const RETAIL_SHAPES: Shapes = {
  ...SHAPES,
  lastOperation: fieldTable("entity string(255)\nname string(255)"),
  syncState: SYNC_STATE,
};
