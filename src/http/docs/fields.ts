/** The part of JSON Schema that this server's schemas use. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  /** Set for another accepted spelling of a field. openapi.json contains the field; the page does not. */
  deprecated?: boolean;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

export interface Field {
  /** The depth of the member; 0 in the body itself. */
  depth: number;
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Returns the fields of a body as a flat list: each member is followed by its own members. */
export function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  const object = objectOf(schema);
  if (object === undefined) return [];
  const members = Object.entries(object.properties ?? {}).filter(([, { deprecated }]) => deprecated !== true);
  return members.flatMap(([name, member]) => [
    { depth, name, type: typeOf(member), required: object.required?.includes(name) ?? false, description: descriptionOf(member) },
    ...fieldsOf(member, depth + 1),
  ]);
}

/** Returns the object whose members the page shows: the schema itself, its items, or the first alternative with members. */
function objectOf(schema: JsonSchema): JsonSchema | undefined {
  if (schema.properties !== undefined) return schema;
  const inner = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  for (const candidate of inner) {
    const object = candidate === undefined ? undefined : objectOf(candidate);
    if (object !== undefined) return object;
  }
  return undefined;
}

function typeOf(schema: JsonSchema): string {
  // Null counts as absent in every field. The page says so once, so no type mentions null.
  return [...new Set(alternativesOf(schema))].filter((type) => type !== "null").join(" or ");
}

function alternativesOf(schema: JsonSchema): string[] {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value));
  if (schema.items !== undefined) return [`list of ${typeOf(schema.items)}`];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.flatMap(alternativesOf);
  if (schema.type === undefined) return [schema.properties === undefined ? "anything" : "object"];
  return [schema.type].flat();
}

function descriptionOf(schema: JsonSchema): string {
  const words = schema.description ?? schema.items?.description ?? "";
  return schema.default === undefined ? words : `${words}${words === "" ? "" : " "}Default: ${JSON.stringify(schema.default)}.`;
}
