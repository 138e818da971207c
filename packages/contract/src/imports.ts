import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Email, IsoDate, Links, userNames } from './fields.ts';
import { addingErrors, MadeInvitation } from './invitations.ts';
import { limits } from './limits.ts';

/** A person to add to the caller's company. */
export const ImportedPerson = z.object({
  ...userNames,
  email: Email,
  /** Ids of the access policies of the user. */
  politics: z._default(Links, []),
});
export type ImportedPerson = z.infer<typeof ImportedPerson>;

/** The people of an import. */
export const UsersImport = z.object({
  /** Each address at most once. An error names a person by the index from 0, such as `people.3.email`. */
  people: z.array(ImportedPerson).check(z.minLength(1), z.maxLength(limits.objectsPerCompany)),
});

/** The result of the dry run of an import. */
export const UsersPreview = z.object({
  /** The number of users to add. */
  count: z.int(),
  /** The days on which the invitations are mailed, at most 500 on one day. */
  mails: z.array(
    z.object({
      /** The time of the first mail of the day. */
      dueAt: IsoDate,
      /** The number of mails on the day. */
      count: z.int(),
    }),
  ),
  /** Whether a mail server is configured. */
  mailed: z.boolean(),
});
export type UsersPreview = z.infer<typeof UsersPreview>;

/** The result of an import. */
export const ImportedUsers = z.extend(UsersPreview, {
  /** The links of the added users, if no mail server is configured. No other call returns them. Empty if the links are mailed. */
  invitations: z.array(MadeInvitation),
});
export type ImportedUsers = z.infer<typeof ImportedUsers>;

const shape = {
  access: ['CREATOR'],
  creates: true,
  body: UsersImport,
  replySeconds: 60,
  errors: addingErrors,
} as const;

/**
 * Invite up to 1,000 agents (USER) to the caller's company, all or none. A company mails 500 invitations a day; the others are mailed
 * on the next two days. A link is valid for seven days from the time of its mail. The link also ends when the caller is no longer an
 * owner, and mails that wait then are not sent. `fields` of an error names each invalid person by
 * the index from 0, such as `people.3.email`. Errors name at most 20 addresses of other companies an hour; later lines are then
 * reported as not checked.
 */
export const importUsers = endpoint('POST /users/import', { ...shape, reply: ImportedUsers });

/** Check an import of agents without adding anybody. The errors are those of the import. */
export const previewUsers = endpoint('POST /users/import/preview', { ...shape, reply: UsersPreview });
