/**
 * The platform's types that the sandbox leaves out, by their use. They answer like unknown types. A test compares this list with the
 * README's section "What is left out".
 */
const TABLE = `
  purchases and wholesale | demand salesreturn purchaseorder supply purchasereturn invoicein invoiceout facturein factureout
  commission              | commissionreportin commissionreportout
  money                   | paymentin paymentout cashin cashout counterpartyadjustment payroll expenseitem
  warehouse               | enter loss move inventory internalorder pricelist consignment
  production              | processing processingorder processingplan processingplanfolder processingprocess processingstage
  production              | productiontask productionstagecompletion
  advances at the till    | prepayment prepaymentreturn
  orders for marks        | emissionorder retireorder
  discounts and points    | discount accumulationdiscount personaldiscount specialpricediscount roundoffdiscount
  discounts and points    | bonusprogram bonustransaction
  office                  | task
`;

export const LEFT_OUT: ReadonlySet<string> = new Set(
  TABLE.trim()
    .split("\n")
    .flatMap((row) =>
      row
        .slice(row.indexOf("|") + 1)
        .trim()
        .split(" "),
    ),
);
