import { z } from "zod";
import { isZone } from "../kernel/moment.ts";
import { MARK_POLICIES } from "../model/marks/mark-check.ts";
import { PAPERS, type Paper } from "../model/paper.ts";
import type { StoreProfile } from "../model/store-profile.ts";
import { ITEM_KINDS } from "../model/subjects.ts";
import { DEFAULT_SIGNATURE_SCHEME, PAIRING, SIGNATURE_SCHEME_NAMES } from "../security/signature.ts";

const LATE_MONEY = ["refund", "person"] as const;

/**
 * All settings of points of sale and of whole accounts. Each member checks a text that a person typed. The command line, the settings page
 * and the stored rows use this schema.
 */
export const settingsSchema = z.object({
  register: line(512).meta({
    description: "The register: where its documents are registered.",
    values: "address of a register, such as emulator:NAME",
  }),
  taxSystem: z.enum(["osn", "usn-income", "usn-income-expense", "eshn", "patent"]).meta({
    description: "Taxation system of the receipts, tag 1055; stands above what the platform says, which else comes first.",
    values: "osn, usn-income, usn-income-expense, eshn or patent",
  }),
  vatPayer: z.stringbool({ truthy: ["yes", "true"], falsy: ["no", "false"] }).meta({
    description: "`no` prints every line without VAT, whatever the platform sends.",
    values: "yes or no",
  }),
  timeZone: z.string().refine(isZone).meta({
    description: "Zone of the platform's times and of an emulator's clock.",
    values: "name of a time zone, such as Europe/Moscow",
  }),
  paper: z.enum(PAPERS).meta({
    description: "Paper that the receipt is drawn for.",
    values: "58, 80 or a4",
  }),
  shiftOpening: z.enum(["platform", "automatic"]).meta({
    description: "Who opens shifts: the platform by its own request, or the first sale.",
    values: "platform or automatic",
  }),
  buyerContact: z.enum(["email", "phone", "none"]).meta({
    description: "Which contact of the buyer goes into tag 1008 when there are both.",
    values: "email, phone or none",
  }),
  itemKind: z.enum(ITEM_KINDS).meta({
    description: "What positions are whose card at the platform tells no kind, tag 1212.",
    values: "goods, excisable, work, service, results, composite or other",
  }),
  markPolicy: z.enum(MARK_POLICIES).meta({
    description:
      "With which results of its check a marked thing is sold, where the register checks marks; not set: with any. A mark that cannot be read cannot be verified: it is sold under correct-or-unverifiable and all, not where this is not set.",
    values: "checked-correct, correct-or-unverifiable, checked or all",
  }),
  senderEmail: z.email().max(64).meta({
    description: "E-mail address that receipts are sent from, tag 1117.",
    values: "an e-mail address of at most 64 characters",
  }),
  address: line(256).meta({
    description: "Address of settlement, tag 1009; without it the register's own is printed.",
    values: "text of at most 256 characters",
  }),
  place: line(256).meta({
    description: "Place of settlement, tag 1187; without it the register's own is printed.",
    values: "text of at most 256 characters",
  }),
  acquirer: line(512).meta({
    description: "The acquirer: over which account QR payments run.",
    values: "an acquirer with its account, such as simulated?payAfterMs=1000, or none",
  }),
  qrExpiryMinutes: z
    .string()
    .regex(/^[1-9]\d?$/)
    .transform(Number)
    .refine((minutes) => minutes <= 60)
    .meta({ description: "How long a QR code can be paid.", values: "1 to 60" }),
  qrDescription: line(140).meta({
    description: "What the buyer's bank shows of a QR payment; {store} and {receipt} stand for the point of sale and the operation.",
    values: "text of at most 140 characters, without data of buyers",
  }),
  lateMoney: z.enum(LATE_MONEY).meta({
    description: "What happens to money that comes after a QR payment was rejected: it goes back, or a person decides.",
    values: "refund or person",
  }),
  alertEmail: z.email().max(254).meta({
    description: "E-mail address of the owner: who is told when a register or a payment needs a person, and when it is over.",
    values: "an e-mail address",
  }),
  loyalty: z.enum(["on", "off"]).meta({
    description: "Whether tills use this server's loyalty programme: on connects it, off leaves it connected and answers undiscounted.",
    values: "on or off",
    scope: "account",
  }),
  signatureScheme: z.enum([PAIRING, ...SIGNATURE_SCHEME_NAMES]).meta({
    description: "How the platform signs fiscal requests; `pair` finds out with the next one, outside production only.",
    values: `${PAIRING}, ${DEFAULT_SIGNATURE_SCHEME} or another row of the signature table`,
    scope: "account",
  }),
});

type LateMoney = (typeof LATE_MONEY)[number];

export type SettingName = keyof typeof settingsSchema.shape;

export const SETTING_NAMES = Object.keys(settingsSchema.shape) as SettingName[];

export interface StoreSettings extends StoreProfile {
  /** The address of the register, with passwords. Absent: the default register. */
  register?: string;
  timeZone: string;
  /** True when the zone was set for this point of sale or its account. */
  timeZoneIsSet?: boolean;
  paper: Paper;
  shiftOpening: "platform" | "automatic";
  /** The acquirer with its account and secrets. `none` or absent: no QR payments. */
  acquirer?: string;
  qrExpiryMinutes: number;
  qrDescription: string;
  lateMoney: LateMoney;
  /** Absent: the owner gets no messages. */
  alertEmail?: string;
  /** One value for the whole account. */
  loyalty: "on" | "off";
  /** Absent: the default scheme. */
  signatureScheme?: string;
}

/** The values that apply where neither a setting nor the server's configuration gives one. */
export const BUILT_IN_SETTINGS: StoreSettings = {
  taxSystem: "osn",
  vatPayer: true,
  timeZone: "Europe/Moscow",
  paper: "80",
  shiftOpening: "platform",
  buyerContact: "email",
  itemKind: "goods",
  qrExpiryMinutes: 10,
  qrDescription: "{store}, {receipt}",
  lateMoney: "refund",
  loyalty: "off",
};

interface SettingDescription {
  description: string;
  /** The accepted values, in words. */
  values: string;
  /** `account`: one value for all points of sale. */
  scope: "store" | "account";
}

export function describeSetting(name: SettingName): SettingDescription {
  const meta = settingsSchema.shape[name].meta() ?? {};
  return {
    description: meta.description ?? "",
    values: String(meta.values ?? ""),
    scope: meta.scope === "account" ? "account" : "store",
  };
}

/** How a person enters a value: as a text, or as a choice of a few words. */
type SettingControl = { kind: "text"; maxLength: number } | { kind: "choice"; values: readonly string[] };

export function controlOf(name: SettingName): SettingControl {
  const schema: z.ZodType = settingsSchema.shape[name];
  if (schema instanceof z.ZodEnum) return { kind: "choice", values: schema.options.map(String) };
  if (name === "vatPayer") return { kind: "choice", values: ["yes", "no"] };
  const isText = schema instanceof z.ZodString || schema instanceof z.ZodStringFormat;
  return { kind: "text", maxLength: (isText ? schema.maxLength : undefined) ?? LONGEST_SHORT_TEXT };
}

/** The longest text that a form takes for a setting whose schema states no length, such as a time zone or a number. */
const LONGEST_SHORT_TEXT = 64;

export function settingNamed(text: string): SettingName | undefined {
  return SETTING_NAMES.find((name) => name === text);
}

/** A text of one line without control characters, because some of these settings are printed on receipts. */
function line(maxLength: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}]*$/u);
}
