import { exported } from '@propusk/contract/endpoints';
import { openApiExamples } from '@propusk/phrases/openapi';
import type { Components, JsonSchema } from '@propusk/test-kit/api/openapi-types';
import * as z from 'zod/mini';
import { contract } from './contract-docs.ts';

const texts: Readonly<Record<string, string>> = contract.docs.texts;
const ownExamples: Readonly<Record<string, unknown[]>> = contract.docs.examples;
/** The example of a field without its own: that of another field with the same name. */
const byField = new Map(
  Object.entries(ownExamples).map(([path, [example]]) => [path.split('.').at(-1), example] as const),
);

/** The text of a call, schema, field or error code. @param path as in `Docs.texts` @throws Error when there is none */
export function textOf(path: string): string {
  const text = texts[path];
  if (text === undefined) throw new Error(`The contract has no comment for ${path}`);
  return text;
}

/** Names and texts of the contract's exported schemas, in the form of zod's converter. */
const registered = z.registry<{ id?: string; description: string; examples?: unknown[] }>();
for (const [name, schema] of Object.entries(exported)) {
  const description = texts[name];
  if (description === undefined || !(schema instanceof z.core.$ZodType)) continue;
  const isComponent = /^(object|enum)$/.test(schema._zod.def.type);
  const examples = ownExamples[name];
  registered.add(schema, { description, ...(isComponent ? { id: name } : examples && { examples }) });
}

/** @returns the schema's name under `components/schemas`; undefined for a schema without a name, which the document inlines */
export function nameOf(schema: z.ZodMiniType): string | undefined {
  return registered.get(schema)?.id;
}

/**
 * Converts a contract's schema to JSON Schema. Named schemas move to `components`, and a `$ref` replaces them.
 * @param io `input` for requests, `output` for replies
 * @param path the path of the schema in `Docs.texts`, such as `pair.body`
 */
export function schemaOf(
  components: Components,
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  path: string,
): JsonSchema {
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
    const examples = ownExamples[name];
    components[name] = { ...addTexts(definition, name), ...(examples && { examples }) };
  }
  return addTexts(own, path);
}

/** The fields of a call's path or query, without a reference to the schema itself. */
export function fieldsOf(
  components: Components,
  schema: z.ZodMiniType,
  path: string,
): [name: string, JsonSchema][] {
  const copy = z.extend(schema as z.ZodMiniObject, {});
  return Object.entries(schemaOf(components, copy, 'input', nameOf(schema) ?? path).properties ?? {});
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
  // A number may also be sent as digits. Only the output of the pipe has the bounds, because it is checked after the conversion.
  const { out } = zodSchema._zod.def;
  // 'any': the first half of the pipe ends in a transform, which JSON Schema cannot express.
  const { $schema: _, ...number } = z.toJSONSchema(out, { metadata: registered, unrepresentable: 'any' });
  if (number.type !== 'integer') return;
  jsonSchema.anyOf = jsonSchema.anyOf.map((one) => (one.type === 'number' ? number : one));
}

/** Adds the descriptions of the fields, and the examples of text fields. */
function addTexts(schema: JsonSchema, path: string): JsonSchema {
  const { properties, items, anyOf } = schema;
  if (items !== undefined) return { ...schema, items: addTexts(items, path) };
  // A nullable object: `anyOf` is the object and null.
  if (anyOf?.[0]?.properties !== undefined)
    return { ...schema, anyOf: [addTexts(anyOf[0], path), ...anyOf.slice(1)] };
  if (properties === undefined) return schema;
  const parts = Object.entries(properties).map(([name, property]): [string, JsonSchema] => {
    const own = `${path}.${name}`;
    const description = texts[own];
    const examples = examplesOf(own, property);
    return [
      name,
      addTexts({ ...property, ...(description && { description }), ...(examples && { examples }) }, own),
    ];
  });
  return { ...schema, properties: Object.fromEntries(parts) };
}

const sentences: Readonly<Record<string, unknown>> = openApiExamples;

function examplesOf(path: string, { type, anyOf, format, examples }: JsonSchema): unknown[] | undefined {
  const found = sentences[path] ?? ownExamples[path]?.[0];
  if (found !== undefined) return [found];
  const isText = [type].flat()[0] === 'string' || anyOf?.[0]?.type === 'string';
  if (examples !== undefined || format !== undefined || !isText) return examples;
  const field = path.split('.').at(-1) ?? '';
  const shared = sentences[field] ?? byField.get(field);
  return typeof shared === 'string' ? [shared] : undefined;
}

/** An example of a value: that of its schema, or one assembled from the examples of its parts. */
export function exampleOf(components: Components, schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const named = components[schema.$ref?.replace('#/components/schemas/', '') ?? ''];
  if (named !== undefined) return exampleOf(components, named);
  // A nullable value: `anyOf` is the value and null.
  if (schema.anyOf?.[0] !== undefined) return exampleOf(components, schema.anyOf[0]) ?? null;
  if (schema.items !== undefined) return [exampleOf(components, schema.items)];
  if (schema.properties !== undefined) {
    const parts = Object.entries(schema.properties);
    return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(components, part)]));
  }
  if (schema.type === 'object') return {};
  if (schema.type === 'integer') return Math.max(schema.minimum ?? 1, 1);
  if (Array.isArray(schema.type)) return null;
  return schema.const ?? schema.enum?.[0] ?? (schema.type === 'boolean' ? true : '');
}
