export type Identity = {
  readonly drive: string;
  readonly factory: string;
  readonly registration: string;
  readonly inn: string;
  readonly user: string;
  readonly address: string;
  readonly place: string;
  readonly taxSystems: number;
  /** T17F17 and tag 1209: 2 is 1.05, 4 is 1.2. */
  readonly format: 2 | 4;
  /** T17F71: rate 01 goes to the drive as 22 per cent. */
  readonly twentyIsTwentyTwo: boolean;
};

export const sampleIdentity: Identity = {
  drive: "9999078900004321",
  factory: "0000000000123456",
  registration: "0000000004061300",
  inn: "9900000017",
  user: 'ООО "НЕЗАВИСИМЫЙ ОБРАЗЕЦ"',
  address: "000000, г. Пробный, ул. Ровная, д. 2",
  place: "Прилавок № 3",
  taxSystems: 0x03,
  format: 4,
  twentyIsTwentyTwo: false,
};
