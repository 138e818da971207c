import { type RawBuilder, sql } from 'kysely';

/** Whether a user has a confirmed second factor. @param userId the column with the user's id, such as `users.id` */
export function hasFactor(userId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from second_factors f
    where f.user_id = ${sql.ref(userId)} and f.confirmed_at is not null)`;
}

/** Whether a row of `users` lacks the second factor that its company requires. The query must select from `users`. */
export const lacksFactor: RawBuilder<boolean> = sql<boolean>`(
  exists (select from companies c where c.id = users.company_id and c.second_factor_required)
  and not ${hasFactor('users.id')})`;
