import type { AddressOption } from "./options.ts";

/** The form fields of one address scheme. A protocol defines its forms beside its parser. Web pages draw them. */
export interface AddressForm {
  /** For example `shtrih-m+tcp`. */
  scheme: string;
  place: { kind: "name" } | { kind: "network"; port: number } | { kind: "serial" };
  options: Readonly<Record<string, AddressOption>>;
}

/** The filled form. Keys: `scheme`, `name`, `host`, `port` (of a serial form: the port's path) and the option names. */
type AddressParts = Readonly<Record<string, string>>;

/** Returns the address of a filled form. Omits empty options and default values. Does not validate. */
export function addressOf({ scheme, place, options }: AddressForm, parts: AddressParts): string {
  const part = (name: string) => parts[name]?.trim() ?? "";
  const chosen = Object.entries(options).filter(([name, { standard }]) => part(name) !== "" && part(name) !== standard);
  const query = chosen.map(([name]) => `${name}=${part(name)}`).join("&");
  return `${scheme}:${placeIn(place, part)}${query === "" ? "" : `?${query}`}`;
}

function placeIn(place: AddressForm["place"], part: (name: string) => string): string {
  switch (place.kind) {
    case "name":
      return part("name");
    case "serial":
      return part("port");
    case "network": {
      const host = part("host");
      return `//${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}${part("port") === "" ? "" : `:${part("port")}`}`;
    }
  }
}

/**
 * Splits an address that contains no secrets into its parts. Options that the address does not have are missing in the result. Undefined:
 * no form has the scheme of the address.
 */
export function partsOf(forms: readonly AddressForm[], address: string): AddressParts | undefined {
  const [base = "", query = ""] = address.split("?", 2);
  const scheme = base.split(":", 1)[0] ?? "";
  const form = forms.find((one) => one.scheme === scheme);
  if (form === undefined) return undefined;
  const options = query.split("&").map((part): [string, string] => [part.split("=", 1)[0] ?? "", part.slice(part.indexOf("=") + 1)]);
  return { scheme, ...placeParts(form, base.slice(scheme.length + 1)), ...Object.fromEntries(options.filter(([name]) => name !== "")) };
}

function placeParts({ place }: AddressForm, text: string): AddressParts {
  if (place.kind === "name") return { name: text };
  if (place.kind === "serial") return { port: text };
  const [, host = "", port = String(place.port)] = /^\/\/(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ""), port };
}
