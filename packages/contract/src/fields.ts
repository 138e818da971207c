import * as z from 'zod/mini';
import { issue } from './issues.ts';
import { limits } from './limits.ts';

// PostgreSQL rejects NUL, and a lone surrogate would be stored as another character. Of the other control characters, only tab
// and line ends are useful.
// oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
export const clean = z.regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\p{Cs}]*$/u);

/** A trimmed line of text of `min` to `max` characters. */
export function text(min: number, max: number = limits.name) {
  return z.string().check(z.trim(), z.minLength(min), z.maxLength(max), clean, z.regex(/^[^\t\r\n]*$/));
}

/** Trimmed text of several lines. */
export function paragraphs(max: number) {
  return z.string().check(z.trim(), z.maxLength(max), clean);
}

/** Spec section 5. Stored as typed, compared case-insensitively. */
export const Email = z
  .string()
  .check(z.trim(), z.maxLength(limits.email), z.regex(/^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{1,20}$/));

/** Spec section 5: at least 8 characters of any kind. */
export const Password = z.string().check(z.minLength(limits.password.min), z.maxLength(limits.password.max));

/** The current password. No minimum length: a wrong password must fail as wrong, not as invalid input. */
export const CurrentPassword = z.string().check(z.maxLength(limits.password.max));

/** A new password; empty keeps the current one, because a form cannot show a stored password. */
export const NewPassword = z.pipe(
  z.string().check(
    z.maxLength(limits.password.max),
    z.refine((given) => given === '' || given.length >= limits.password.min, issue('password_short')),
  ),
  z.transform((given) => (given === '' ? undefined : given)),
);

/** A code from the app (6 digits), or a recovery code where accepted. Spaces, hyphens and letter case are ignored. */
export const FactorCode = text(1, limits.factorCode);

/** The caller's password, and a code if the caller has a second factor. */
export const Proof = z.object({
  currentPassword: CurrentPassword,
  code: z.optional(FactorCode),
});
/** The same for a call that asks only some callers, or only for some changes. */
export const MaybeProof = z.partial(Proof);

export const FactorConfirmation = z.object({ code: FactorCode });

/** An id in a body. Ids are never reused. */
export const Id = z.int().check(z.gte(1));
export type Id = z.infer<typeof Id>;

/** A whole number in a path or query: digits without sign, leading zero or exponent. */
export function numeral(check: z.ZodMiniNumber<number>) {
  const spelled = z.union([z.string().check(z.regex(/^(0|[1-9]\d{0,15})$/)), z.number()]);
  return z.pipe(z.pipe(spelled, z.transform(Number)), check);
}

export const IdParams = z.object({ id: numeral(Id) });

/** The version of an entity. It increases with every change; `ETag` and `If-Match` carry it. */
export const Version = z.int().check(z.gte(1));

export const IsoDate = z.iso.datetime();

/** A policy, user or site in another entity's list. */
export const Named = z.object({ id: Id, name: z.string() });
export type Named = z.infer<typeof Named>;

/** Ids of linked rows, each at most once. */
export const Links = z.array(Id).check(
  z.maxLength(limits.objectsPerCompany),
  z.refine((ids) => new Set(ids).size === ids.length, issue('repeated')),
);

/**
 * The query of every list. Without parameters a list returns all rows in the caller's scope; with any, the others default as in
 * spec section 9.
 */
export const ListQuery = z.object({
  page: z.optional(numeral(z.int().check(z.gte(1)))),
  take: z.optional(numeral(z.int().check(z.gte(1), z.lte(limits.page.maxTake)))),
  order: z.optional(z.enum(['ASC', 'DESC'])),
  name: z.optional(z.string().check(z.maxLength(limits.name), clean)),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** A page of rows, and the number of all matching rows (spec section 9). */
export function listOf<Row extends z.ZodMiniType>(row: Row) {
  return z.object({ rows: z.array(row), count: z.int() });
}
