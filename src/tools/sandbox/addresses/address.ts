import type { Account } from "../account/account.ts";
import { BANK_ACCOUNT_TYPE, ZONE_TYPE } from "../account/inner-objects.ts";
import { type Reference, referenceIn, type Stored } from "../values/stored.ts";

/**
 * Returns the path of an object below `{api}`, mostly `entity/{type}/{id}`. Other types have addresses below the metadata of their type,
 * the company's settings, their owner or their directory.
 */
export function pathOf(reference: Reference, account: Account): string {
  const { type, id } = reference;
  switch (type) {
    case "state":
    case "attributemetadata": {
      const of = valuesOf(reference, account)?.of;
      return `entity/${String(of)}/metadata/${type === "state" ? "states" : "attributes"}/${id}`;
    }
    case "characteristic":
      return `entity/variant/metadata/characteristics/${id}`;
    case "pricetype":
      return `context/companysettings/pricetype/${id}`;
    case "customentitymetadata":
      return `context/companysettings/metadata/customEntities/${id}`;
    case "customentity":
      return `entity/customentity/${String(referenceIn(valuesOf(reference, account)?.directory)?.id)}/${id}`;
    case BANK_ACCOUNT_TYPE: {
      const owner = account.innerObjects.ownerOf(id);
      return `entity/${String(owner?.type)}/${String(owner?.id)}/accounts/${id}`;
    }
    case ZONE_TYPE:
      return `entity/store/${String(account.innerObjects.ownerOf(id)?.id)}/zones/${id}`;
    default:
      return `entity/${type}/${id}`;
  }
}

/** Returns the values of the object. The caller passes the values of a deleted object, because the account no longer has this object. */
function valuesOf(reference: Reference & Partial<Pick<Stored, "values">>, account: Account): Stored["values"] | undefined {
  return reference.values ?? account.objects.get(reference.type, reference.id)?.values;
}

/**
 * Returns the reference for a path below `{api}`, or undefined for other paths. This is the inverse of `pathOf`, except for a
 * characteristic, because no body needs its href. The object need not exist.
 */
export function referenceOf(path: string): Reference | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const [section, type = "", third = "", fourth = "", id = ""] = parts;
  if (section === "entity" && parts.length === 3) return { type, id: third };
  if (section === "entity" && third === "metadata" && parts.length === 5) {
    if (fourth === "states") return { type: "state", id };
    if (fourth === "attributes") return { type: "attributemetadata", id };
  }
  if (section === "entity" && type === "customentity" && parts.length === 4) return { type, id: fourth };
  if (section === "context" && third === "metadata" && fourth === "customEntities" && parts.length === 5)
    return { type: "customentitymetadata", id };
  if (section === "entity" && fourth === "accounts" && parts.length === 5) return { type: BANK_ACCOUNT_TYPE, id };
  if (section === "entity" && type === "store" && fourth === "zones" && parts.length === 5) return { type: ZONE_TYPE, id };
  if (section === "context" && type === "companysettings" && third === "pricetype" && parts.length === 4)
    return { type: "pricetype", id: fourth };
  return undefined;
}
