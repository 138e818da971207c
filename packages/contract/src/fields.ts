import * as z from 'zod/mini';
import { issue } from './issues.ts';
import { limits } from './limits.ts';
import { ShownText } from './shown-text.ts';

// PostgreSQL rejects NUL, and a lone surrogate would be stored as another character. Of the other control characters, only tab
// and line ends are useful.
// oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
export const clean = z.regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\p{Cs}]*$/u);

/** A trimmed line of `min` to `max` characters. Control characters and characters that override text direction are refused. */
export function text(min: number, max: number = limits.name) {
  return z
    .string()
    .check(
      z.trim(),
      z.minLength(min),
      z.maxLength(max),
      clean,
      z.regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u),
    );
}

/** Trimmed text of several lines. */
export function paragraphs(max: number) {
  return z.string().check(z.trim(), z.maxLength(max), clean);
}

/**
 * The longest mail address that storedEmail converts, in UTF-16 units. RFC 5321 allows 64 octets before the
 * at sign and 255 after it.
 */
const LONGEST_TYPED = 320;
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const NON_ASCII = /[^\0-\x7f]/;

/**
 * Converts the domain of a mail address from Unicode to Punycode (UTS 46). The database stores and compares
 * addresses in this form.
 */
export function storedEmail(typed: string): string {
  const at = typed.lastIndexOf('@') + 1;
  const domain = typed.slice(at);
  // A text above LONGEST_TYPED stays unchanged, because the schema refuses it anyway.
  if (at === 0 || typed.length > LONGEST_TYPED || !NON_ASCII.test(domain)) return typed;
  const url = `http://${domain}`;
  return DOMAIN.test(domain) && URL.canParse(url) ? typed.slice(0, at) + new URL(url).hostname : typed;
}

/**
 * A mail address, trimmed and compared case-insensitively. The domain may be in Unicode or Punycode. An address has at most one
 * account.
 * @example anna@romashka.ru
 */
export const Email = z
  .string()
  .check(
    z.trim(),
    z.overwrite(storedEmail),
    z.maxLength(limits.email),
    z.regex(/^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.([A-Za-z]{1,20}|[Xx][Nn]--[A-Za-z0-9-]{1,59})$/),
  );

/** A phone number in international form (E.164). @example "+79161234567" */
export const Phone = z.string().check(z.trim(), z.regex(/^\+[1-9]\d{6,14}$/));

/** A password of at least 8 characters of any kind. No reply contains it. @example correct horse */
export const Password = z.string().check(z.minLength(limits.password.min), z.maxLength(limits.password.max));

// No minimum length: a wrong password must fail as wrong, not as invalid input.
/** The caller's current password. @example correct horse */
export const CurrentPassword = z.string().check(z.maxLength(limits.password.max));

/**
 * The new password. A change of the password ends the sessions and gateway tokens of the user. An empty text keeps the current
 * password.
 * @example battery staple
 */
export const NewPassword = z.pipe(
  z.string().check(
    z.maxLength(limits.password.max),
    z.refine((given) => given === '' || given.length >= limits.password.min, issue('password_short')),
  ),
  z.transform((given) => (given === '' ? undefined : given)),
);

/**
 * A code of 6 digits from the authenticator app, or a recovery code. Spaces, hyphens and letter case are
 * ignored.
 * @example "287082"
 */
export const FactorCode = text(1, limits.factorCode);

/** The password and code with which the caller authenticates again. */
export const Proof = z.object({
  currentPassword: CurrentPassword,
  /** A code from the caller's authenticator app, or a recovery code. Required if the caller has a second factor. */
  code: z.optional(FactorCode),
});
/** The caller's password and second-factor code, which the call requires only in some cases. */
export const MaybeProof = z.partial(Proof);

/** The first code, which proves that the authenticator app has the secret. */
export const FactorConfirmation = z.object({ code: FactorCode });

/** The id of the entity; ids are never reused. @example 42 */
export const Id = z.int().check(z.gte(1));

/** A whole number in a path or query: digits without sign, leading zero or exponent. */
export function numeral(check: z.ZodMiniNumber<number>) {
  const spelled = z.union([z.string().check(z.regex(/^(0|[1-9]\d{0,15})$/)), z.number()]);
  return z.pipe(z.pipe(spelled, z.transform(Number)), check);
}

/** The path parameters of a call on one entity. */
export const IdParams = z.object({ id: numeral(Id) });

/** The version of the entity, which its `ETag` contains. Every change of the entity raises the version. @example 3 */
export const Version = z.int().check(z.gte(1));

/** A time in UTC (RFC 3339). @example 2026-03-14T16:05:00.000Z */
export const IsoDate = z.iso.datetime();

/**
 * A time in UTC (RFC 3339). The year is from 1000 to 2999, which both PostgreSQL and JavaScript accept. The
 * fraction of a second has at most 9 digits.
 * @example 2026-03-14T16:05:00.000Z
 */
export const GivenDate = z.iso.datetime().check(z.refine((given) => /^[12][^.]*(\.\d{1,9})?Z$/.test(given)));

/** The fields that every reply with an `ETag` has. */
export const versioned = {
  version: Version,
  /** The time of the creation. */
  createdAt: IsoDate,
  /** The time of the last change. */
  updatedAt: IsoDate,
};

/** The name and the website of a company, for replies about companies, users and proxies. */
export const companyNames = {
  /** The name of the company. */
  companyName: ShownText,
  /** The address of the company's website. @example romashka.ru */
  companySite: ShownText,
};

/** The given name and the family name of a user, in a request body. */
export const userNames = {
  /** Given name; may be empty. */
  name: z._default(text(0), ''),
  /** Family name; may be empty. */
  surname: z._default(text(0), ''),
};

/** The id and name of a policy, user or site to which another entity refers. */
export const Named = z.object({
  id: Id,
  /** The display name. */
  name: ShownText,
});
export type Named = z.infer<typeof Named>;

/** A user of a policy, or a policy of a user. */
export const Member = z.extend(Named, {
  /** The time when the membership ends; null for never. An ended membership stays in the list. */
  until: z.nullable(IsoDate),
});
export type Member = z.infer<typeof Member>;

/** Ids of linked rows, each at most once. @example [7, 9] */
export const Links = z.array(Id).check(
  z.maxLength(limits.objectsPerCompany),
  z.refine((ids) => new Set(ids).size === ids.length, issue('repeated')),
);

/** The query parameters that every list accepts. Without parameters, a list returns all rows in the caller's scope. */
export const ListQuery = z.object({
  /** Page number, from 1; defaults to 1 when another parameter is given. @example 1 */
  page: z.optional(numeral(z.int().check(z.gte(1)))),
  /** Rows per page; defaults to 10 when another parameter is given. @example 10 */
  take: z.optional(numeral(z.int().check(z.gte(1), z.lte(limits.page.maxTake)))),
  /** Order by id; defaults to ASC when another parameter is given. */
  order: z.optional(z.enum(['ASC', 'DESC'])),
  /** Returns only rows that contain every word of this text, case-insensitively. `%` and `_` match literally. */
  name: z.optional(z.string().check(z.maxLength(limits.name), clean)),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** A page of rows, and the number of all matching rows (spec section 9). */
export function listOf<Row extends z.ZodMiniType>(row: Row) {
  return z.object({
    /** The rows of the page, or all rows when the query has no parameters. */
    rows: z.array(row),
    /** The number of all matching rows. */
    count: z.int(),
  });
}
