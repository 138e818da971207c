import { Email, Id, IsoDate, Links, Password, Version } from '@propusk/contract/fields';
import { ProxyType } from '@propusk/contract/proxies';
import { Role } from '@propusk/contract/roles';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import * as z from 'zod/mini';

// Registers the OpenAPI texts of schemas, and holds the texts of fields that many schemas share.

/** Texts of fields with the same meaning in every schema, unless a schema has its own text. */
export const everywhere = {
  id: 'The id of the entity; ids are never reused.',
  version: 'Rises with every change; the same number as in `ETag`.',
  createdAt: 'The time of its creation.',
  updatedAt: 'The time of its last change.',
  rows: 'The rows of the page, or all rows when the query has no parameters.',
  count: 'The number of all matching rows.',
  email: 'The address that the user signs in with.',
};

type Item<T> = NonNullable<T> extends readonly (infer E)[] ? NonNullable<E> : NonNullable<T>;
/** A text for every field, and the fields of each nested object that is not a named schema. */
type Fields<T> = { [K in Exclude<keyof T, keyof typeof everywhere>]-?: About<Item<T[K]>> } & {
  [K in keyof T & keyof typeof everywhere]?: string;
};
type About<T> = string | (T extends object ? readonly [string, Fields<T>] : never);
/** `Fields` without its types, for readers. */
export interface FieldTexts {
  readonly [field: string]: string | readonly [string, FieldTexts];
}

/** Names and texts of schemas, in the form of zod's converter. */
export const registered = z.registry<{ id?: string; description: string; examples?: z.$input[] }>();

/** The field texts and the example of each named schema. */
// grows: not, filled once at startup
export const schemaTexts = new Map<string, { readonly fields: FieldTexts; readonly example: unknown }>();

/** Registers a schema's name, its texts and an example. */
export function named<S extends z.ZodMiniType>(
  id: string,
  schema: S,
  description: string,
  fields: Fields<z.input<S>>,
  example: z.input<S>,
): void {
  registered.add(schema, { id, description });
  schemaTexts.set(id, { fields, example });
}

registered.add(Id, { description: everywhere.id, examples: [42] });
registered.add(Version, { description: everywhere.version, examples: [3] });
registered.add(IsoDate, {
  description: 'A time in UTC (RFC 3339).',
  examples: ['2026-03-02T09:30:00.000Z'],
});
registered.add(Email, {
  description: 'Trimmed and compared case-insensitively. One account per address.',
  examples: ['anna@romashka.ru'],
});
registered.add(Password, {
  description: 'At least 8 characters of any kind. No reply contains it.',
  examples: [sample.password],
});
registered.add(Links, { description: 'Ids of linked rows, each at most once.', examples: [[7, 9]] });
registered.add(Role, {
  id: 'Role',
  description:
    'USER: an agent of a company. CREATOR: an owner of a company. ADMIN: an admin of the platform.',
  examples: ['USER'],
});
registered.add(ProxyType, {
  id: 'ProxyType',
  description:
    "`default`: the platform's own, shared by companies. `users`: a company's own. `payment`: a company's own, paid.",
  examples: ['users'],
});
