import { Email, Id, IsoDate, Links, Password, Version } from '@propusk/contract/fields';
import { ProxyType } from '@propusk/contract/proxies';
import { Role } from '@propusk/contract/roles';
import { openApiExamples as sample } from '@propusk/phrases/openapi';
import * as z from 'zod/mini';

// How schemas get their words for OpenAPI, and the words of the fields that many of them share.

/** Field names that mean the same wherever they stand, unless an entity says otherwise. */
export const everywhere = {
  id: 'Stands for this one for ever: ids are never reused.',
  version: 'Rises with every change; the same number as in `ETag`.',
  createdAt: 'When it was added.',
  updatedAt: 'When it was last changed.',
  rows: 'The rows of the page, or all rows when no page was asked for.',
  count: 'How many rows match in all.',
  email: 'The address that the person signs in with.',
};

type Item<T> = NonNullable<T> extends readonly (infer E)[] ? NonNullable<E> : NonNullable<T>;
/** A sentence for every field; a nested object that has no name of its own tells of its fields too. */
type Fields<T> = { [K in Exclude<keyof T, keyof typeof everywhere>]-?: About<Item<T[K]>> } & {
  [K in keyof T & keyof typeof everywhere]?: string;
};
type About<T> = string | (T extends object ? readonly [string, Fields<T>] : never);
/** `Fields` as whoever reads it sees it. */
export interface FieldTexts {
  readonly [field: string]: string | readonly [string, FieldTexts];
}

/** Names and words of schemas, as zod's own converter takes them. */
export const registered = z.registry<{ id?: string; description: string; examples?: z.$input[] }>();

/** What is said of the fields of named schemas, and an example of the whole, by name. */
// grows: not, the program fills it as it starts
export const told = new Map<string, { readonly fields: FieldTexts; readonly example: unknown }>();

/** Names a schema, and says what it, its fields and an example of it are. */
export function named<S extends z.ZodMiniType>(
  id: string,
  schema: S,
  description: string,
  fields: Fields<z.input<S>>,
  example: z.input<S>,
): void {
  registered.add(schema, { id, description });
  told.set(id, { fields, example });
}

registered.add(Id, { description: everywhere.id, examples: [42] });
registered.add(Version, { description: everywhere.version, examples: [3] });
registered.add(IsoDate, {
  description: 'A moment in UTC (RFC 3339).',
  examples: ['2026-03-02T09:30:00.000Z'],
});
registered.add(Email, {
  description: 'Trimmed; letter case does not tell two addresses apart. One account per address.',
  examples: ['anna@romashka.ru'],
});
registered.add(Password, {
  description: 'At least 8 characters of any kind. Told in no reply.',
  examples: [sample.password],
});
registered.add(Links, { description: 'Ids of linked rows, each at most once.', examples: [[7, 9]] });
registered.add(Role, {
  id: 'Role',
  description: 'USER: an agent of a company. CREATOR: its owner. ADMIN: of the whole platform.',
  examples: ['USER'],
});
registered.add(ProxyType, {
  id: 'ProxyType',
  description:
    "`default`: the platform's own, shared by companies. `users`: a company's own. `payment`: a company's, paid for.",
  examples: ['users'],
});
