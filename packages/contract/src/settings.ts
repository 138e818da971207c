import * as z from 'zod/mini';

/** One environment setting: how it is read, and in Russian what it takes. */
export interface Setting<T> {
  readonly schema: z.ZodMiniType<T, string | undefined>;
  readonly takes: string;
}

/** A setting that stops the start. The message is one line for the person who set it. */
export class SettingError extends Error {}

/** Declares a setting. The schema sees the variable's text, or undefined when it is absent or empty. */
export function setting<T>(takes: string, schema: z.ZodMiniType<T, string | undefined>): Setting<T> {
  return { takes, schema };
}

/**
 * A whole number from `min` to `max`.
 * @param reason in Russian, after the range: why it ends where it does, when that is not plain from the setting's name
 */
export function wholeNumber(fallback: number, min: number, max: number, reason = ''): Setting<number> {
  const digits = z.string().check(z.regex(/^\d{1,15}$/));
  const number = z.pipe(z.pipe(digits, z.transform(Number)), z.int().check(z.gte(min), z.lte(max)));
  return setting(
    `целое число от ${min} до ${max}${reason === '' ? '' : ` (${reason})`}`,
    z._default(number, fallback),
  );
}

/** An address of this machine to listen on, or a name for it. */
export function listenAddress(): Setting<string> {
  const host = z.string().check(z.regex(/^[A-Za-z0-9.:_-]{1,253}$/));
  return setting('адрес, на котором слушать, например 127.0.0.1', z._default(host, '127.0.0.1'));
}

/** Text that is none of the above: at least `min` characters, no more than 4096. */
export function plain(takes: string, min = 1): Setting<string | undefined> {
  return setting(takes, z.optional(z.string().check(z.minLength(min), z.maxLength(4096))));
}

/** An http or https address without a path, such as `https://pass.example.ru`. */
export function origin(): Setting<string | undefined> {
  return setting(
    'адрес вида https://pass.example.ru, без пути',
    z.optional(
      z.string().check(
        z.refine((text) => {
          if (!URL.canParse(text)) return false;
          const url = new URL(text);
          return /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '');
        }),
      ),
    ),
  );
}

type Values<S extends Record<string, Setting<unknown>>> = {
  [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/**
 * Reads settings from an environment.
 * @throws SettingError naming the first bad one, what it takes and, unless its name tells of a secret, what was given
 */
export function readSettings<S extends Record<string, Setting<unknown>>>(
  spec: S,
  env: Readonly<Record<string, string | undefined>>,
): Values<S> {
  const values: Record<string, unknown> = {};
  for (const [name, { schema, takes }] of Object.entries(spec)) {
    const given = env[name] === '' ? undefined : env[name];
    const read = schema.safeParse(given);
    if (!read.success) {
      const shown = given === undefined ? 'не задана' : shownValue(name, given);
      throw new SettingError(`Настройка ${name} ${shown}. Она принимает: ${takes}`);
    }
    values[name] = read.data;
  }
  return values as Values<S>;
}

function shownValue(name: string, given: string): string {
  const secret = /SECRET|PASSWORD|DATABASE_URL|SMTP_URL|KEY/.test(name);
  return secret ? 'задана неверно' : `задана неверно: «${given.slice(0, 100)}»`;
}
