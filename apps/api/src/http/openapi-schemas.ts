import * as z from 'zod/mini';
import { everywhere, type FieldTexts, registered, told } from './documented/schemas.ts';

/** A JSON Schema (draft 2020-12), as far as the documentation and its tests look into it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** The named schemas of a document, filled as the calls that use them are described. */
export type Components = Record<string, JsonSchema>;

/**
 * The JSON Schema of a contract's schema. Named schemas go to `components`, and a `$ref` stands in their place.
 * @param io which side of it: what a caller sends, or what a reply holds
 */
export function schemaOf(components: Components, schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const converted = z.toJSONSchema(schema, { io, metadata: registered, override: simplify });
  const {
    $schema: _,
    $defs,
    ...own
  } = refer(converted) as JsonSchema & {
    $schema?: string;
    $defs?: Components;
  };
  for (const [name, definition] of Object.entries($defs ?? {})) {
    const { fields = {}, example } = told.get(name) ?? {};
    components[name] = {
      ...tell(definition, fields, example),
      ...(example !== undefined && { examples: [example] }),
    };
  }
  return tell(own, {});
}

/** Zod's definitions stand beside the schema, ours in one place of the document. */
function refer(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** What of zod's conversion says too little, or too much. */
function simplify({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  // The format says it; zod's pattern for the same is 250 characters.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (zodSchema._zod.def.type !== 'pipe' || jsonSchema.anyOf === undefined) return;
  // A number that may travel as digits is read as either, and its bounds are looked at afterwards.
  const { out } = zodSchema._zod.def;
  // 'any': the pipe's own first half ends in a transform, which says nothing of bounds.
  const { $schema: _, ...number } = z.toJSONSchema(out, { metadata: registered, unrepresentable: 'any' });
  if (number.type !== 'integer') return;
  jsonSchema.anyOf = jsonSchema.anyOf.map((one) => (one.type === 'number' ? number : one));
}

const common: FieldTexts = everywhere;

/** Adds what is said of the fields, and the fields' examples out of the whole's example. */
function tell(schema: JsonSchema, texts: FieldTexts, example: unknown = schema.examples?.[0]): JsonSchema {
  const { properties, items, anyOf } = schema;
  if (items !== undefined && items.$ref === undefined) {
    return { ...schema, items: tell(items, texts, (example as unknown[] | undefined)?.[0]) };
  }
  // The nullable ones: the object is the first of the two.
  if (anyOf?.[0]?.properties !== undefined) {
    return { ...schema, anyOf: [tell(anyOf[0], texts, example), ...anyOf.slice(1)] };
  }
  if (properties === undefined) return schema;
  const told = Object.entries(properties).map(([name, property]): [string, JsonSchema] => {
    const [text, inner] = [texts[name] ?? common[name] ?? []].flat() as [string?, FieldTexts?];
    const value = (example as Record<string, unknown> | undefined)?.[name];
    const described = text === undefined ? property : { ...property, description: text };
    const shown = value === undefined ? described : { ...described, examples: [value] };
    return [name, inner === undefined ? shown : tell(shown, inner, value)];
  });
  return { ...schema, properties: Object.fromEntries(told) };
}

/** An example of a value: what its schema says, or one put together of its parts' examples. */
export function exampleOf(components: Components, schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const named = components[schema.$ref?.replace('#/components/schemas/', '') ?? ''];
  if (named !== undefined) return exampleOf(components, named);
  // A nullable one: the value is the first of the two.
  if (schema.anyOf?.[0] !== undefined) return exampleOf(components, schema.anyOf[0]);
  if (schema.items !== undefined) return [exampleOf(components, schema.items)];
  if (schema.properties !== undefined) {
    const parts = Object.entries(schema.properties);
    return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(components, part)]));
  }
  return schema.const ?? (schema.type === 'integer' ? 1 : undefined);
}
