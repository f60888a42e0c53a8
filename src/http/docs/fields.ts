/** As much of JSON Schema as our schemas turn into. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  /** Other spellings that are taken: in openapi.json, not on the page. */
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

/** One line of a table of fields. */
export interface Field {
  /** 0 for the body's own members. */
  depth: number;
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** A body flattened: each member followed by its own members. */
export function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  const object = objectOf(schema);
  if (object === undefined) return [];
  const members = Object.entries(object.properties ?? {}).filter(([, { deprecated }]) => deprecated !== true);
  return members.flatMap(([name, member]) => [
    { depth, name, type: typeOf(member), required: object.required?.includes(name) ?? false, description: descriptionOf(member) },
    ...fieldsOf(member, depth + 1),
  ]);
}

/** The object whose members a reader wants to see: the schema itself, its items, or its one alternative that has any. */
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
  // Null counts as absent everywhere, which the page says once.
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
