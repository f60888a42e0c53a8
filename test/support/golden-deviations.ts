import { readDeviations } from "./golden-fields.ts";

/**
 * Cells of the tables of json-api from which the sandbox departs on purpose. The reasons cite chapters of json-api; `D24` is a decision of
 * json-api 16.
 */
export const DEVIATIONS = readDeviations(`
  *.updated                        write   .>ro       read-only everywhere, whatever the marks (12, introduction)
  *.accountId                      write   .>ro       read-only everywhere, whatever the marks (12, introduction)
  *.id                             write   .>ro       read-only everywhere, whatever the marks (12, introduction)
  *.barcodes                       filter  T>.        the filter's name is barcode (13.1); array fields cannot be filtered (seed)
  retailshift.created              write   ro>.       D24: written and read back in the vendor's own test
  retailshift.receivedCash         write   ro>.       D24
  retailshift.receivedNoCash       write   ro>.       D24
  retaildemand.agent               needed  req>.      D26: only the shift is needed
  retaildemand.store               needed  req>.      D26
  retaildemand.organization        write   ro>.       D26: given values are accepted
  retaildrawercashin.sum           write   ro>.       D33: every sample writes it
  retaildrawercashout.sum          write   ro>.       D33
  retailstore.allowCustomPrice     write   ro>.       D34: a sample sends it
  webhook.authorApplication        write   .>ro       what made a webhook is not for a body to say; the stock webhook's table marks it so (9.5)
  employee.cashier                 write   ->ro       records are written through the point of sale (12.7)
  demandposition.assortment        needed  .>req      no line is without its goods
  salesreturnposition.assortment   needed  .>req      no line is without its goods
  customerorderposition.assortment needed  .>req      no line is without its goods
  webhook.action                   type    enum>text  a value outside of the list has a code of its own (30002)
  webhook.method                   type    enum>text  30001
  webhook.diffType                 type    enum>text  checked with its action (30009)
  product.ppeType                  type    enum>text  the reference does not list the values
  retailstore.cashiers             type    ref>refCollection  a sub-resource (12.7)
  organization.accounts            type    object[]>refCollection  a sub-resource, as a counterparty's (13.5)
`);

/** Cells that the declared tables have, but that a sandbox with default settings does not follow. */
export const DEVIATIONS_BY_DEFAULT = readDeviations(`
  *.syncId  filter  E>.  D9: documented, refused by the live service; the setting filterBySyncId allows it
`);
