import { COUNTERPARTY } from "../types/parties/counterparty.ts";
import { ORGANIZATION } from "../types/parties/organization.ts";
import { RETAIL_STORE } from "../types/places/retail-store.ts";
import { STORE } from "../types/places/store.ts";
import { type Pointer, SHOP_BEGAN_MS, type ShopContents } from "./shop-contents.ts";

/** The seller's tax number. The project's registers are registered for it. It is invented: no tax office's number begins with 96. */
const INN = "9600123459";
const ADDRESS = { postalCode: "000000", city: "г. Образцов", street: "ул. Примерная", house: "д. 1" };

/** Adds the legal entity, its warehouse, two points of sale with cashiers, and business partners. */
export function placeCompany(shop: ShopContents, people: readonly Pointer[]): void {
  const bank = placePartners(shop);
  const organization = shop.place(ORGANIZATION, "main", {
    name: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"',
    legalTitle: 'Общество с ограниченной ответственностью "ОБРАЗЕЦ-РИТЕЙЛ"',
    companyType: "legal",
    inn: INN,
    kpp: "960001001",
    ogrn: "1259600012341",
    legalAddressFull: ADDRESS,
    actualAddressFull: ADDRESS,
    director: "Соколова Анна Сергеевна",
    directorPosition: "Директор",
    email: "info@shop.example",
    phone: "+7 000 000-00-00",
    payerVat: true,
    accounts: [
      shop.element("organization/account", {
        accountNumber: "40702810900000000123",
        bankName: 'АО "БАНК ОБРАЗЕЦ"',
        bankLocation: "г. Образцов",
        bic: "049600001",
        correspondentAccount: "30101810000000000001",
        isDefault: true,
        updated: SHOP_BEGAN_MS,
      }),
    ],
  });
  const store = shop.place(STORE, "main", { name: "Основной склад", code: "1", addressFull: { ...ADDRESS, addInfo: "вход со двора" } });
  const common = {
    organization,
    store,
    priceType: shop.at("pricetype", "sale"),
    acquire: bank,
    bankPercent: 2,
    defaultTaxSystem: "GENERAL_TAX_SYSTEM",
    discountEnable: true,
    discountMaxPercent: 20,
  };
  const [, senior, seller] = people;
  placePoint(shop, "main", { ...common, name: 'Магазин "Образец № 1"', addressFull: ADDRESS }, [senior, seller]);
  const market = { ...ADDRESS, street: "Рыночная пл.", house: "д. 5", addInfo: "павильон 12" };
  placePoint(shop, "market", { ...common, name: "Павильон на рынке", addressFull: market, qrPayEnabled: true, qrAcquire: bank }, [seller]);
}

function placePoint(
  shop: ShopContents,
  key: string,
  values: Parameters<ShopContents["place"]>[2],
  cashiers: readonly (Pointer | undefined)[],
): void {
  const records = cashiers.flatMap((employee) => (employee === undefined ? [] : [shop.element(`${key}/${employee.id}`, { employee })]));
  shop.place(RETAIL_STORE, key, {
    ...values,
    cashiers: records,
    environment: {
      device: "Образец T-10",
      os: "Android 14",
      software: { name: "Касса", vendor: "Платформа", version: "1.0" },
      chequePrinter: {
        name: "Фискальный регистратор",
        vendor: "Образец",
        serial: key === "main" ? "0000000000000001" : "0000000000000002",
      },
    },
  });
}

function placePartners(shop: ShopContents): Pointer {
  shop.place(COUNTERPARTY, "retail", { name: "Розничный покупатель", companyType: "individual", accounts: [] });
  shop.place(COUNTERPARTY, "supplier", {
    name: 'ООО "Поставка-Пример"',
    companyType: "legal",
    legalTitle: 'Общество с ограниченной ответственностью "Поставка-Пример"',
    inn: "9600004564",
    kpp: "960001001",
    legalAddressFull: { ...ADDRESS, street: "ул. Складская", house: "д. 7" },
    email: "sales@supplier.example",
    phone: "+7 000 000-00-01",
    tags: ["поставщики"],
    accounts: [
      shop.element("supplier/account", {
        accountNumber: "40702810100000000456",
        bankName: 'АО "БАНК ОБРАЗЕЦ"',
        bic: "049600001",
        isDefault: true,
        updated: SHOP_BEGAN_MS,
      }),
    ],
  });
  shop.place(COUNTERPARTY, "regular", {
    name: "Васильева Елена Николаевна",
    companyType: "individual",
    legalLastName: "Васильева",
    legalFirstName: "Елена",
    legalMiddleName: "Николаевна",
    phone: "+7 000 000-00-02",
    email: "buyer@example.com",
    discountCardNumber: "1000000001",
    tags: ["постоянные покупатели"],
    accounts: [],
  });
  return shop.place(COUNTERPARTY, "bank", {
    name: 'АО "БАНК ОБРАЗЕЦ"',
    companyType: "legal",
    inn: "9600007893",
    tags: ["банки"],
    accounts: [],
  });
}
