/** As much of JSON Schema as our schemas turn into. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
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
  return Object.entries(object.properties ?? {}).flatMap(([name, member]) => [
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
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].filter((type) => type !== "null").join(" or ");
  if (schema.type === undefined) return schema.properties === undefined ? "any" : "object";
  return [schema.type].flat().join(" or ");
}

function descriptionOf(schema: JsonSchema): string {
  const words = schema.description ?? schema.items?.description ?? "";
  return schema.default === undefined ? words : `${words}${words === "" ? "" : " "}Default: ${JSON.stringify(schema.default)}.`;
}
