import * as z from 'zod/mini';

/** The texts of this module in one language. */
export interface SettingPhrases {
  wholeNumber(min: number, max: number, reason: string): string;
  listenAddress(): string;
  origin(): string;
  /**
   * The error message for an invalid setting.
   * @param given the value of the variable; undefined if the variable is not set, null if the value may be a secret
   * @param takes a clause that describes the valid values
   */
  refused(name: string, given: string | null | undefined, takes: string): string;
}

/** One environment setting: its schema, and a clause that describes the valid values. */
export interface Setting<T> {
  readonly schema: z.ZodMiniType<T, string | undefined>;
  readonly takes: (phrases: SettingPhrases) => string;
}

/** The error for an invalid setting. The process does not start. The error message is one line for the operator. */
export class SettingError extends Error {}

/**
 * Declares a setting.
 * @param takes a clause that describes the valid values to the operator
 * @param schema parses the text of the variable, or undefined if the variable is absent or empty
 */
export function setting<T>(takes: string, schema: z.ZodMiniType<T, string | undefined>): Setting<T> {
  return { takes: () => takes, schema };
}

/**
 * A setting that takes a whole number from `min` to `max`.
 * @param reason tells the operator why the range has these limits; empty if the name of the setting explains the limits
 */
export function wholeNumber(fallback: number, min: number, max: number, reason = ''): Setting<number> {
  const digits = z.string().check(z.regex(/^\d{1,15}$/));
  const number = z.pipe(z.pipe(digits, z.transform(Number)), z.int().check(z.gte(min), z.lte(max)));
  return { takes: (phrases) => phrases.wholeNumber(min, max, reason), schema: z._default(number, fallback) };
}

/** A host name or IP address to listen on. */
export function listenAddress(): Setting<string> {
  const host = z.string().check(z.regex(/^[A-Za-z0-9.:_-]{1,253}$/));
  return { takes: (phrases) => phrases.listenAddress(), schema: z._default(host, '127.0.0.1') };
}

/** A text of `min` to 4096 characters. */
export function plain(takes: string, min = 1): Setting<string | undefined> {
  return setting(takes, z.optional(z.string().check(z.minLength(min), z.maxLength(4096))));
}

/** An http or https address without a path, such as `https://pass.example.ru`. */
export function origin(): Setting<string | undefined> {
  return {
    takes: (phrases) => phrases.origin(),
    schema: z.optional(
      z.string().check(
        z.refine((text) => {
          if (!URL.canParse(text)) return false;
          const url = new URL(text);
          return /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '');
        }),
      ),
    ),
  };
}

const octet = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const loopback4 = new RegExp(`^127(\\.${octet}){3}$`);

/** Whether a host of a URL or a listening address is loopback: `localhost`, `::1`, 127.0.0.0/8. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || loopback4.test(name);
}

/** The names of settings that may hold a secret. Error messages never contain their values. */
const mayBeSecret = /SECRET|PASSWORD|DATABASE_URL|SMTP_URL|KEY/;

type Values<S extends Record<string, Setting<unknown>>> = {
  [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/**
 * Reads settings from environment variables.
 * @throws SettingError for the first invalid setting. The message contains the name and the valid values of the setting.
 *   The message contains the given value only if the setting cannot hold a secret.
 */
export function readSettings<S extends Record<string, Setting<unknown>>>(
  spec: S,
  env: Readonly<Record<string, string | undefined>>,
  phrases: SettingPhrases,
): Values<S> {
  const values: Record<string, unknown> = {};
  for (const [name, { schema, takes }] of Object.entries(spec)) {
    const given = env[name] === '' ? undefined : env[name];
    const read = schema.safeParse(given);
    if (!read.success) {
      const shown = mayBeSecret.test(name) && given !== undefined ? null : given?.slice(0, 100);
      throw new SettingError(phrases.refused(name, shown, takes(phrases)));
    }
    values[name] = read.data;
  }
  return values as Values<S>;
}
