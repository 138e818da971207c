import { Company } from '@propusk/contract/companies';
import { User } from '@propusk/contract/me';
import { Policy } from '@propusk/contract/policies';
import { Proxy } from '@propusk/contract/proxies';
import { Site } from '@propusk/contract/sites';
import * as z from 'zod/mini';
import type { World } from './world.ts';

const LONG_AGO = '2001-01-01T00:00:00.000Z';
/** The default value of a hostile key. After the tests no row may contain it. */
const MARK = 'HOSTILE';

/**
 * Keys that would cause harm if they were stored, with values that fit the columns of these names: every field of every
 * entity, every column of every table, and keys that attackers try.
 * @param columns the names of all columns
 */
export function hostileKeys(columns: readonly string[], world: World): ReadonlyMap<string, unknown> {
  const { other } = world.standing.CREATOR;
  const admin = { value: 'ADMIN' };
  const values: Record<string, unknown> = {
    id: other.people.agent,
    userId: other.people.agent,
    companyId: other.id,
    ownerId: other.id,
    tenant: other.id,
    proxyId: world.directProxy,
    proxyOwnerId: 0,
    policyId: other.policies.reached,
    siteId: other.sites.reached,
    company: { id: other.id, companyName: MARK, companySite: MARK },
    politics: [other.policies.reached],
    users: [other.people.agent],
    sites: [other.sites.reached],
    proxy: [{ id: other.proxies.idle }],
    domainsAllowed: [{ id: other.sites.reached, address: 'hostile.example.ru' }],
    roles: ['ADMIN'],
    role: 'ADMIN',
    value: 'ADMIN',
    isAdmin: true,
    is_admin: true,
    admin: true,
    permissions: [admin],
    email: 'hostile@hostile.test',
    newEmail: 'hostile@hostile.test',
    password: 'hostile horse',
    // A password hash that the product never computes.
    passwordHash: `$argon2id$v=19$m=8,t=1,p=1$${MARK}$${MARK}`,
    passwordSealed: MARK,
    tokenHash: MARK,
    gatewayEpoch: 77,
    policyVersion: 77,
    version: 77,
    claim: 77,
    points: 77,
    createdAt: LONG_AGO,
    updatedAt: LONG_AGO,
    expiresAt: '2101-01-01T00:00:00.000Z',
    type: 'default',
    direct: true,
    secondFactor: true,
    secondFactorRequired: true,
    lastStep: 77,
    allSites: true,
    settings: { type: 'default', allSites: true },
    port: 1234,
    address: 'hostile.example.ru',
    shownAddress: 'hostile.example.ru',
  };
  const names = [...entityFields(), ...columns.map(camelCase), ...Object.keys(values)];
  return new Map(
    names.flatMap((name) => {
      const value = name in values ? values[name] : MARK;
      return [
        [name, value],
        [snakeCase(name), value],
      ];
    }),
  );
}

/** JSON that pollutes a prototype in a careless merge. */
export const poisons: readonly string[] = [
  '{"__proto__": {"roles": ["ADMIN"], "polluted": true}}',
  '{"constructor": {"prototype": {"roles": ["ADMIN"], "polluted": true}}}',
  '{"prototype": {"roles": ["ADMIN"], "polluted": true}}',
  '{"toString": "HOSTILE", "hasOwnProperty": "HOSTILE", "valueOf": 1, "then": "HOSTILE", "toJSON": "HOSTILE"}',
];

/** The fields of every entity, named as in the contract. */
export function entityFields(): string[] {
  return [User, Company, Proxy, Site, Policy].flatMap(declaredKeys);
}

/** The keys that the schema of an object, or of a list of objects, declares. */
export function declaredKeys(schema: z.ZodMiniType): string[] {
  return Object.keys(objectOf(schema).properties ?? {});
}

/**
 * Adds the keys to every object of a body, except those that its schema declares there.
 * @param body a valid value of the schema
 */
export function withKeys(body: unknown, schema: z.ZodMiniType, keys: ReadonlyMap<string, unknown>): unknown {
  return add(body, describe(schema), keys);
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

function add(body: unknown, schema: JsonSchema, keys: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(body)) return body.map((item: unknown) => add(item, schema.items ?? {}, keys));
  if (typeof body !== 'object' || body === null) return body;
  const { properties = {} } = schema;
  const declared = Object.entries(body).map(([key, value]) => [key, add(value, properties[key] ?? {}, keys)]);
  return Object.fromEntries([...[...keys].filter(([key]) => !Object.hasOwn(properties, key)), ...declared]);
}

const describe = (schema: z.ZodMiniType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

function objectOf(schema: z.ZodMiniType): JsonSchema {
  const described = describe(schema);
  return described.items ?? described;
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
