import { type RawBuilder, sql } from 'kysely';

/** Whether a person has a second factor on. @param userId the column that says who, such as `users.id` */
export function hasFactor(userId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from second_factors f
    where f.user_id = ${sql.ref(userId)} and f.confirmed_at is not null)`;
}

/** Whether a person's company requires a second factor that the person has not. Of a row of `users` in the query. */
export const lacksFactor: RawBuilder<boolean> = sql<boolean>`(
  exists (select from companies c where c.id = users.company_id and c.second_factor_required)
  and not ${hasFactor('users.id')})`;
