import type { PlatformProfile } from "../kernel/platform-profile.ts";
import { withoutSlashes } from "../kernel/text-end.ts";

/** The operations with a documented format, which the platform may send (platform-contracts 2.4). */
export const OPERATION_TYPES = [
  "openShift",
  "closeShift",
  "retailDemand",
  "retailSalesReturn",
  "retailDrawerCashIn",
  "retailDrawerCashOut",
] as const;

const PAYMENT_TYPES = ["cash", "card", "cashCard", "qr"] as const;

/**
 * The objects that the server may read. The server asks for no right to change the shop's data. No shorter list is possible under scope
 * custom (platform-contracts 2.3).
 */
const READ_ENTITIES = [
  "retailStore",
  "retailShift",
  "retailDemand",
  "retailSalesReturn",
  "employee",
  "myCompany",
  // Customers: the loyalty programme reads their names.
  "company",
  "good",
  "uom",
] as const;

/** Allows webhooks of this solution only. */
const OWN_WEBHOOKS = { name: "useOwnWebhooks" };

/** The paths of this server's contracts below PUBLIC_URL (interface 4). */
const VENDOR_BASE = "/vendor";
const FISCAL_BASE = "/fiscal";
const QR_BASE = "/qr";
const SETTINGS_PATH = "/settings";

/** The shop makes one QR code for each operation, and the buyer scans it (platform-contracts 2.2). */
const QR_TYPE = "MERCHANT_GENERATED_DYNAMIC";
/** The provider's name for the cashier. A setting of the point of sale selects the acquirer. */
const QR_PROVIDER = "QR payment";

/**
 * The descriptor for the platform's catalogue: the contracts that the server serves, and their addresses. Blocks and their children have
 * the order of the published samples. No base ends with a slash (platform-contracts 2.5).
 */
export function descriptorXml(options: { publicUrl: string; profile: PlatformProfile }): string {
  const { profile } = options;
  const base = withoutSlashes(options.publicUrl);
  const root: Element = {
    name: "ServerApplication",
    attributes: {
      xmlns: profile.descriptorNamespace,
      "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
      "xsi:schemaLocation": `${profile.descriptorNamespace} ${profile.descriptorSchemaUrl}`,
    },
    content: [
      {
        name: "iframes",
        content: [
          {
            // The main window. Its address also gets a context key, for a host without one-time tokens.
            name: "iframe",
            attributes: { type: "main", sourceUrl: base + SETTINGS_PATH },
            content: [{ name: "uses", content: [{ name: "user-context" }] }],
          },
        ],
      },
      {
        name: "vendorApi",
        content: [
          { name: "endpointBase", content: base + VENDOR_BASE },
          { name: "additionalEvents", content: [{ name: "updatePermissions" }] },
        ],
      },
      {
        name: "access",
        content: [
          { name: "resource", content: `${profile.baseUrl}/api/remap/1.2` },
          { name: "scope", content: "custom" },
          { name: "permissions", content: [OWN_WEBHOOKS, ...READ_ENTITIES.map((name) => ({ name, content: [{ name: "view" }] }))] },
        ],
      },
      // Allows the call that gives the platform the address of the loyalty programme (platform-contracts 3.8). This permission alone
      // switches nothing on.
      { name: "loyaltyApi" },
      {
        name: "fiscalApi",
        content: [
          { name: "endpointBase", content: base + FISCAL_BASE },
          { name: "operationTypes", content: OPERATION_TYPES.map((name) => ({ name })) },
          { name: "paymentTypes", content: PAYMENT_TYPES.map((name) => ({ name })) },
        ],
      },
      {
        name: "qrPayApi",
        content: [
          {
            // Only the first provider is called (platform-contracts 2.2).
            name: "paymentProvider",
            content: [
              { name: "name", content: QR_PROVIDER },
              { name: "qrType", content: QR_TYPE },
              { name: "endpointBase", content: base + QR_BASE },
            ],
          },
        ],
      },
    ],
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, "")}\n`;
}

interface Element {
  name: string;
  attributes?: Record<string, string>;
  content?: string | Element[];
}

function write({ name, attributes = {}, content = [] }: Element, indent: string): string {
  const written = Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`);
  const start = [name, ...written].join(written.length > 1 ? `\n${indent}    ` : " ");
  if (typeof content === "string") return `${indent}<${start}>${escapeXml(content)}</${name}>`;
  if (content.length === 0) return `${indent}<${start}/>`;
  const inside = content.map((element) => write(element, `${indent}  `)).join("\n");
  return `${indent}<${start}>\n${inside}\n${indent}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ESCAPES[char] ?? char);
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
