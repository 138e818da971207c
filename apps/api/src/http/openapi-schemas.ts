import * as z from 'zod/mini';
import { everywhere, type FieldTexts, registered, schemaTexts } from './documented/schemas.ts';

/** A JSON Schema (draft 2020-12), reduced to the keywords that the documentation and its tests use. */
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

/** The named schemas of a document. Describing a call adds the schemas that it uses. */
export type Components = Record<string, JsonSchema>;

/**
 * Converts a contract's schema to JSON Schema. Named schemas move to `components`, and a `$ref` replaces them.
 * @param io `input` for requests, `output` for replies
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
    const { fields = {}, example } = schemaTexts.get(name) ?? {};
    components[name] = {
      ...addTexts(definition, fields, example),
      ...(example !== undefined && { examples: [example] }),
    };
  }
  return addTexts(own, {});
}

/** Zod refers to definitions within each schema; the document has one place for all of them. */
function refer(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Corrects zod's conversion where it is too vague or too verbose. */
function simplify({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  // `format` suffices; zod's equivalent pattern has 250 characters.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (zodSchema._zod.def.type !== 'pipe' || jsonSchema.anyOf === undefined) return;
  // A number may be sent as digits: the pipe accepts both and then checks the bounds, so only its output has them.
  const { out } = zodSchema._zod.def;
  // 'any': the first half of the pipe ends in a transform, which JSON Schema cannot express.
  const { $schema: _, ...number } = z.toJSONSchema(out, { metadata: registered, unrepresentable: 'any' });
  if (number.type !== 'integer') return;
  jsonSchema.anyOf = jsonSchema.anyOf.map((one) => (one.type === 'number' ? number : one));
}

const common: FieldTexts = everywhere;

/** Adds the texts of the fields, and their examples from the example of the whole. */
function addTexts(
  schema: JsonSchema,
  texts: FieldTexts,
  example: unknown = schema.examples?.[0],
): JsonSchema {
  const { properties, items, anyOf } = schema;
  if (items !== undefined && items.$ref === undefined) {
    return { ...schema, items: addTexts(items, texts, (example as unknown[] | undefined)?.[0]) };
  }
  // A nullable object: `anyOf` is the object and null.
  if (anyOf?.[0]?.properties !== undefined) {
    return { ...schema, anyOf: [addTexts(anyOf[0], texts, example), ...anyOf.slice(1)] };
  }
  if (properties === undefined) return schema;
  const parts = Object.entries(properties).map(([name, property]): [string, JsonSchema] => {
    const [text, inner] = [texts[name] ?? common[name] ?? []].flat() as [string?, FieldTexts?];
    const value = (example as Record<string, unknown> | undefined)?.[name];
    const described = text === undefined ? property : { ...property, description: text };
    const shown = value === undefined ? described : { ...described, examples: [value] };
    return [name, inner === undefined ? shown : addTexts(shown, inner, value)];
  });
  return { ...schema, properties: Object.fromEntries(parts) };
}

/** An example of a value: that of its schema, or one assembled from the examples of its parts. */
export function exampleOf(components: Components, schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const named = components[schema.$ref?.replace('#/components/schemas/', '') ?? ''];
  if (named !== undefined) return exampleOf(components, named);
  // A nullable value: `anyOf` is the value and null.
  if (schema.anyOf?.[0] !== undefined) return exampleOf(components, schema.anyOf[0]);
  if (schema.items !== undefined) return [exampleOf(components, schema.items)];
  if (schema.properties !== undefined) {
    const parts = Object.entries(schema.properties);
    return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(components, part)]));
  }
  return schema.const ?? (schema.type === 'integer' ? 1 : undefined);
}
