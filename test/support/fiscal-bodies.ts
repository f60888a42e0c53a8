/**
 * Bodies of the fiscal contract, as platform-contracts and fiscal-receipts show them. Each call makes a new body, which a test may change.
 */

export function openShift() {
  return {
    retailShift: {
      meta: { href: "{base_url}/api/remap/1.2/entity/retailshift/0c2e", id: "0c2e9d44-8b7a", type: "RetailShift", idType: "native" },
    },
    name: "00007",
    retailstore: { meta: { href: "{base_url}/…", id: "77a1c0de-1111-4222-8333-944455566677", type: "RetailStore", idType: "native" } },
    cashier: {
      meta: { href: "{base_url}/…", id: "3e3e7a10-0d0d-4b4b-8c8c-1a2b3c4d5e6f", type: "Employee", idType: "native" },
      firstName: "Olga",
      lastName: "Petrova",
    },
    openMoment: "2026-03-02 09:00:00",
  };
}

export function closeShift() {
  const { openMoment: _, ...rest } = openShift();
  return { ...rest, closeMoment: "2026-03-02 21:00:00" };
}

export function cashIn() {
  const { openMoment: _, ...rest } = openShift();
  return {
    meta: { id: "c1", type: "RetailDrawerCashIn", idType: "native" },
    ...rest,
    moment: "2026-03-02 09:02:00",
    sum: "200000",
  };
}

/** The sale of platform-contracts 4.5, as published. Its prices and payments are in kopecks. */
export function publishedSale() {
  return {
    meta: {
      href: "{base_url}/api/remap/1.2/entity/retaildemand/5b0d…",
      id: "5b0d2c1e-6f10-4d0a-9a57-2f0f6a7c3e01",
      type: "RetailDemand",
      idType: "native",
    },
    name: "00031",
    retailstore: {
      meta: { href: "…/retailstore/77a1…", id: "77a1c0de-1111-4222-8333-944455566677", type: "RetailStore", idType: "native" },
    },
    retailShift: {
      meta: { href: "…/retailshift/0c2e…", id: "0c2e9d44-8b7a-4a6e-9d37-5f1f2f3a4b5c", type: "RetailShift", idType: "native" },
    },
    moment: "2026-03-02 10:15:40",
    cashier: {
      meta: { href: "…/employee/3e3e…", id: "3e3e7a10-0d0d-4b4b-8c8c-1a2b3c4d5e6f", type: "Employee", idType: "native" },
      firstName: "Olga",
      lastName: "Petrova",
    },
    payments: { cardSum: "25920" },
    positions: [
      {
        assortment: {
          meta: { href: "…/product/aa01…", id: "aa01b2c3-d4e5-46f7-8899-aabbccddeeff", type: "Product", idType: "native" },
          name: "Rye loaf",
        },
        uom: { name: "pc", code: "796" },
        quantity: 3,
        price: "9600",
        discount: "10",
        pack: null,
        vat: 10,
        vatEnabled: true,
        marks: [],
      },
    ],
    vatEnabled: true,
    vatIncluded: true,
  };
}

/** The sale of fiscal-receipts 9.1. */
export function sale() {
  return {
    meta: { id: "00000000-0000-4000-8000-0000000000a1", type: "RetailDemand", idType: "native" },
    name: "00015",
    retailstore: { meta: { id: "00000000-0000-4000-8000-000000000001", type: "RetailStore" } },
    retailShift: { meta: { id: "00000000-0000-4000-8000-000000000027", type: "RetailShift" } },
    moment: "2026-11-12 18:42:10",
    payments: { cashSum: "834.57", cardSum: "0" },
    phone: "+70000000000",
    email: "",
    positions: [
      {
        assortment: { meta: { type: "Product" }, name: 'Хлеб "Дарницкий" 400 г' },
        uom: { name: "шт", code: "796" },
        quantity: 2,
        price: "54.90",
        discount: "0",
        pack: null,
        vat: 10,
        vatEnabled: true,
        marks: [],
      },
      {
        assortment: { meta: { type: "Product" }, name: 'Сыр "Российский" весовой' },
        uom: { name: "кг", code: "166" },
        quantity: 0.356,
        price: "899.00",
        discount: "0",
        pack: null,
        vat: 10,
        vatEnabled: true,
        marks: [],
      },
      {
        assortment: { meta: { type: "Product" }, name: 'Средство для мытья посуды "Образец", лимон, 1 л' },
        uom: { name: "шт", code: "796" },
        quantity: 3,
        price: "149.90",
        discount: "10",
        pack: null,
        vat: 22,
        vatEnabled: true,
        marks: [],
      },
    ],
    cashier: { firstName: "Мария", middleName: "Петровна", lastName: "Иванова" },
    vatEnabled: true,
    vatIncluded: true,
  };
}

/** The return of fiscal-receipts 9.2. */
export function salesReturn() {
  return {
    meta: { id: "00000000-0000-4000-8000-0000000000b2", type: "RetailSalesReturn" },
    name: "00004",
    retailstore: { meta: { id: "00000000-0000-4000-8000-000000000002" } },
    retailShift: { meta: { id: "00000000-0000-4000-8000-000000000112" } },
    moment: "2026-11-12 19:15:02",
    demand: { meta: { id: "00000000-0000-4000-8000-0000000000b1", type: "RetailDemand" } },
    payments: { cashSum: "0", cardSum: "5432.00" },
    phone: "",
    email: "",
    positions: [
      {
        assortment: { meta: { type: "Product" }, name: "Ботинки мужские, арт. 1234, р. 42" },
        uom: { name: "шт", code: "796" },
        quantity: 2,
        price: "2990.00",
        discount: "15",
        pack: null,
        vat: 5,
        vatEnabled: true,
        marks: [
          "010460000000000821abcdefghijklm\u001d91EE10\u001d92<88 characters>",
          "010460000000000821nopqrstuvwxyz\u001d91EE10\u001d92<88 characters>",
        ],
      },
      {
        assortment: { meta: { type: "Product" }, name: "Крем для обуви" },
        uom: { name: "шт", code: "796" },
        quantity: 1,
        price: "349.00",
        discount: "0",
        pack: null,
        vat: 5,
        vatEnabled: true,
        marks: [],
      },
    ],
    vatEnabled: true,
    vatIncluded: true,
  };
}
