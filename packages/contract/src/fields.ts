import * as z from 'zod/mini';
import { issue } from './issues.ts';
import { limits } from './limits.ts';

// PostgreSQL stores no NUL, half of a surrogate pair would come back as another character, and no field of ours has a
// use for other control characters but tab and line ends.
// oxlint-disable-next-line no-control-regex -- they are what this pattern refuses
export const clean = z.regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\p{Cs}]*$/u);

/** A trimmed line of text of `min` to `max` characters. */
export function text(min: number, max: number = limits.name) {
  return z.string().check(z.trim(), z.minLength(min), z.maxLength(max), clean, z.regex(/^[^\t\r\n]*$/));
}

/** Trimmed text that may have several lines. */
export function paragraphs(max: number) {
  return z.string().check(z.trim(), z.maxLength(max), clean);
}

/** Spec section 5. Kept in the letter case that was typed; compared without it. */
export const Email = z
  .string()
  .check(z.trim(), z.maxLength(limits.email), z.regex(/^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{1,20}$/));

/** Spec section 5: at least 8 characters of any kind. */
export const Password = z.string().check(z.minLength(limits.password.min), z.maxLength(limits.password.max));

/** The password that is in force now: any that may have been set, to be refused by the account and not by a rule. */
export const CurrentPassword = z.string().check(z.maxLength(limits.password.max));

/** A password where an empty field means 'as it is': a form cannot show a password that is kept. */
export const NewPassword = z.pipe(
  z.string().check(
    z.maxLength(limits.password.max),
    z.refine((given) => given === '' || given.length >= limits.password.min, issue('password_short')),
  ),
  z.transform((given) => (given === '' ? undefined : given)),
);

/** A code from the app (6 digits), or a recovery code where one will do; spaces, hyphens and letter case do not matter. */
export const FactorCode = text(1, limits.factorCode);
export const FactorConfirmation = z.object({ code: FactorCode });

/** An id as it stands in a body. Ids are never reused. */
export const Id = z.int().check(z.gte(1));
export type Id = z.infer<typeof Id>;

/** A whole number as it stands in a path or a query: digits, no sign, no leading zero, no exponent. */
export function numeral(check: z.ZodMiniNumber<number>) {
  const spelled = z.union([z.string().check(z.regex(/^(0|[1-9]\d{0,15})$/)), z.number()]);
  return z.pipe(z.pipe(spelled, z.transform(Number)), check);
}

export const IdParams = z.object({ id: numeral(Id) });

/** Rises with every change of an entity; the value of `ETag` and `If-Match`. */
export const Version = z.int().check(z.gte(1));

export const IsoDate = z.iso.datetime();

/** A policy, a user or a site as another entity's list names it. */
export const Named = z.object({ id: Id, name: z.string() });
export type Named = z.infer<typeof Named>;

/** Ids of linked rows, each at most once. */
export const Links = z.array(Id).check(
  z.maxLength(limits.objectsPerCompany),
  z.refine((ids) => new Set(ids).size === ids.length, issue('repeated')),
);

/**
 * What every list takes. Without any parameter a list answers all rows of the caller's scope; with one, the others
 * have the defaults of spec section 9.
 */
export const ListQuery = z.object({
  page: z.optional(numeral(z.int().check(z.gte(1)))),
  take: z.optional(numeral(z.int().check(z.gte(1), z.lte(limits.page.maxTake)))),
  order: z.optional(z.enum(['ASC', 'DESC'])),
  name: z.optional(z.string().check(z.maxLength(limits.name), clean)),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** The spec's shape of a list: a page of rows and the count of all that match. */
export function listOf<Row extends z.ZodMiniType>(row: Row) {
  return z.object({ rows: z.array(row), count: z.int() });
}
