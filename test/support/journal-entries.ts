import type { Checkpoint, EntryContent, EntryKey } from "../../src/journal/entry.ts";
import type { ReceiptDocument } from "../../src/model/document.ts";
import type { CashFacts, FiscalFacts, RegisterIdentity } from "../../src/model/facts.ts";
import type { TradeOperation } from "../../src/model/operation.ts";

export function entryKey(changed: Partial<EntryKey> = {}): EntryKey {
  return {
    appId: "00000000-0000-4000-8000-000000000001",
    accountId: "0d5f8b1e-2f3a-4d8f-8f5a-6a1f7f6f0c11",
    operation: "sale",
    documentId: "7d2f6a3e-51c4-4c52-9a29-0b6f3ad61d10",
    ...changed,
  };
}

/** A sale of two positions, as long as usual positions of a bakery. */
export function entryContent(changed: Partial<EntryContent> = {}): EntryContent {
  const key = changed.key ?? entryKey();
  return {
    key,
    contentHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    twinHash: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    idType: "sync",
    register: "emulator:bakery-north-1",
    operation: saleOperation(key.documentId),
    document: saleDocument(),
    paper: "80",
    ...changed,
  };
}

export function saleOperation(documentId: string): TradeOperation {
  return {
    kind: "sale",
    document: { id: documentId, idType: "sync" },
    shift: { id: "3d0f9a3b-6d4c-4a8e-b9a4-0a2f5d3c7e81", idType: "sync" },
    storeId: "5d1f0c52-8c52-4f1d-9a53-0b6f3ad61d11",
    name: "00017",
    moment: "2026-03-02 10:15:00",
    cashier: { id: "b2c55ad0-15a3-4f4f-8f1b-2b0b822cd15d", firstName: "Мария", middleName: "Петровна", lastName: "Иванова" },
    positions: [
      {
        assortment: { id: "8c52aaaa-15a3-4f4f-8f1b-2b0b822cd15d", type: "product", name: "Хлеб «Бородинский»" },
        unit: { name: "шт", code: "796" },
        quantityMillionths: 2_000_000,
        priceKopecks: 5_990,
        discountPercent: "0",
        vatPercent: "10",
        vatEnabled: true,
        marks: [],
      },
      {
        assortment: { id: "8c52bbbb-15a3-4f4f-8f1b-2b0b822cd15d", type: "product", name: "Сыр «Российский», весовой" },
        unit: { name: "кг", code: "166" },
        quantityMillionths: 356_000,
        priceKopecks: 79_900,
        discountPercent: "5",
        vatPercent: "10",
        vatEnabled: true,
        marks: [],
      },
    ],
    payments: {
      cashKopecks: 0,
      cardKopecks: 39_002,
      qrKopecks: 0,
      prepaymentCashKopecks: 0,
      prepaymentCardKopecks: 0,
      prepaymentQrKopecks: 0,
      advanceKopecks: 0,
    },
    phone: "+70000000000",
    vatEnabled: true,
    vatIncluded: true,
  };
}

export function saleDocument(): ReceiptDocument {
  return {
    kind: "receipt",
    reference: "1f8a2c3d4e5f6071",
    cashierName: "Иванова М.П.",
    address: "630099, г. Новосибирск, Красный проспект, д. 1",
    place: "Пекарня «Северная»",
    sign: 1,
    taxSystem: "osn",
    lines: [
      {
        name: "Хлеб «Бородинский»",
        quantityMillionths: 2_000_000,
        unit: { code: 0, label: "шт" },
        priceKopecks: 5_990,
        sumKopecks: 11_980,
        vat: 2,
        vatKopecks: 1_089,
        subject: 1,
        method: 4,
      },
      {
        name: "Сыр «Российский», весовой",
        quantityMillionths: 356_000,
        unit: { code: 11, label: "кг" },
        priceKopecks: 75_905,
        sumKopecks: 27_022,
        vat: 2,
        vatKopecks: 2_457,
        subject: 1,
        method: 4,
        discount: { fullPriceKopecks: 79_900, percent: "5", differenceKopecks: 1_422 },
      },
    ],
    totalKopecks: 39_002,
    roundingKopecks: 0,
    tenders: { cashKopecks: 0, nonCashKopecks: 39_002, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0 },
    vatTotals: [{ vat: 2, sumKopecks: 3_546 }],
    buyerContact: "+70000000000",
    senderEmail: "check@bakery-north.example",
  };
}

export function checkpoint(changed: Partial<Checkpoint> = {}): Checkpoint {
  return {
    driveNumber: "9999078900001234",
    lastDocumentNumber: 41,
    shiftNumber: 7,
    shiftOpen: true,
    drawerKopecks: 150_000,
    deviceTime: "2026-03-02 10:15:02",
    ...changed,
  };
}

export const IDENTITY: RegisterIdentity = {
  driveNumber: "9999078900001234",
  registrationNumber: "0000000001012345",
  serialNumber: "EMU-000000000001",
  inn: "7700000000",
  sellerName: "ООО «Пекарня Северная»",
  address: "630099, г. Новосибирск, Красный проспект, д. 1",
  place: "Пекарня «Северная»",
  firmware: "1.0",
  ffd: "1.2",
  taxSystems: ["osn"],
  fnsSite: "www.nalog.gov.ru",
};

export function saleFacts(changed: Partial<FiscalFacts> = {}): FiscalFacts {
  return {
    kind: "fiscal",
    document: "receipt",
    identity: IDENTITY,
    documentNumber: 42,
    fiscalSign: "2134567890",
    time: "2026-03-02 10:15:00",
    shiftNumber: 7,
    cashierName: "Иванова М.П.",
    receipt: { number: 12, sign: 1, totalKopecks: 39_002 },
    ...changed,
  };
}

export function openingFacts(changed: Partial<FiscalFacts> = {}): FiscalFacts {
  return {
    kind: "fiscal",
    document: "open-shift",
    identity: IDENTITY,
    documentNumber: 30,
    fiscalSign: "1000000001",
    time: "2026-03-02 08:00:00",
    shiftNumber: 7,
    ...changed,
  };
}

export function cashFacts(changed: Partial<CashFacts> = {}): CashFacts {
  return {
    kind: "cash",
    document: "cash-in",
    identity: IDENTITY,
    time: "2026-03-02 08:05:00",
    shiftNumber: 7,
    sumKopecks: 150_000,
    drawerKopecks: 150_000,
    ...changed,
  };
}
