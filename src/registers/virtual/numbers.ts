import { createHmac } from "node:crypto";

/** The numbers that identify a register and its drive (fiscal-receipts 3.2–3.4). */
interface DeviceNumbers {
  /** Tag 1041: 16 digits of the debug series, which no real drive has. */
  driveNumber: string;
  /** Tag 1013: 14 digits that begin with 9999. */
  serialNumber: string;
  /** Tag 1037: 16 digits. The last six are a check value over the first ten, the seller's INN and the serial number. */
  registrationNumber: string;
}

/** Series of debug drives in vendors' samples (fiscal-receipts 3.2). */
const DRIVE_SERIES = "9999078";
const SERIAL_SERIES = "9999";
/** The limit of registry numbers: below a million, because all known numbers begin with zeros. */
const REGISTRY_NUMBERS = 1_000_000n;

/** Returns the numbers of an emulated device. Name and secret determine them; the registration number also depends on the INN. */
export function deviceNumbers(name: string, secret: Buffer, inn: string): DeviceNumbers {
  const digest = createHmac("sha256", secret).update(`device numbers of ${name}`, "utf8").digest();
  const serialNumber = SERIAL_SERIES + digits(digest.readBigUInt64BE(8) % 10n ** 10n, 10);
  const registryNumber = digits((digest.readBigUInt64BE(16) % (REGISTRY_NUMBERS - 1n)) + 1n, 10);
  return {
    driveNumber: DRIVE_SERIES + digits(digest.readBigUInt64BE(0) % 10n ** 9n, 9),
    serialNumber,
    registrationNumber: registrationNumber(registryNumber, inn, serialNumber),
  };
}

/** Returns РН ККТ: the ten-digit registry number and a check value over all three arguments (fiscal-receipts 3.3). */
export function registrationNumber(registryNumber: string, inn: string, serialNumber: string): string {
  const message = registryNumber.padStart(10, "0") + inn.padStart(12, "0") + serialNumber.padStart(20, "0");
  return registryNumber.padStart(10, "0") + String(crc16(Buffer.from(message, "ascii"))).padStart(6, "0");
}

/** Returns the CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, no reflection, no final xor. */
export function crc16(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc;
}

/** Whether the text is an INN: ten digits of an organisation or twelve of an entrepreneur, with the check digits (fiscal-receipts 3.5). */
export function isInn(text: string): boolean {
  if (!/^(\d{10}|\d{12})$/.test(text)) return false;
  if (text.length === 10) return checkDigit(text, [2, 4, 10, 3, 5, 9, 4, 6, 8]) === text[9];
  return (
    checkDigit(text, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) === text[10] && checkDigit(text, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) === text[11]
  );
}

function checkDigit(text: string, weights: readonly number[]): string {
  const sum = weights.reduce((total, weight, index) => total + weight * Number(text[index]), 0);
  return String((sum % 11) % 10);
}

function digits(value: bigint, length: number): string {
  return value.toString().padStart(length, "0");
}
