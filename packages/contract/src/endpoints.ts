import { readdirSync } from 'node:fs';
import type { Endpoint } from './endpoint.ts';

/**
 * The file names of the contract's modules, read from the folder. Only Node.js loads this file. Modules named `shown-*.ts` are
 * omitted, because the OpenAPI document inlines their schemas.
 */
const modules = readdirSync(import.meta.dirname).filter((name) =>
  /^(?!endpoints\.|shown-)[^.]+\.ts$/.test(name),
);

/** The exports of all modules by name, such as calls and schemas. */
export const exported: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...(await Promise.all(modules.toSorted().map((name) => import(/* @vite-ignore */ `./${name}`)))),
);

/** All API calls by name. The api does not start while a call has no handler. */
export const calls: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  Object.entries(exported).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
);

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'access' in value && 'path' in value;
}

/** All API calls as a list. */
export const endpoints: readonly Endpoint[] = Object.values(calls);
