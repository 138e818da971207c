import type { Output } from '@propusk/contract/endpoint';
import type {
  answerRequest as answerCall,
  RequestInput,
  RequestQuery,
  TariffRequest,
} from '@propusk/contract/tariff';
import { standardPlan } from '@propusk/phrases/errors';
import { sql } from 'kysely';
import { type AuditFields, record } from '../audit/store.ts';
import type { Actor, Member } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import { lockCompany } from '../db/company.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Outbox, queueMail } from '../mail/store.ts';

/** Lists the tariff requests of one company or of all companies, by default newest first. */
export async function readRequests(
  db: Db,
  { companyId, id, state, ...query }: RequestQuery & { companyId?: number; id?: number },
): Promise<{ rows: TariffRequest[]; count: number }> {
  const matching = db
    .selectFrom('tariff_requests')
    .innerJoin('companies', 'companies.id', 'tariff_requests.company_id')
    .select([
      'tariff_requests.id',
      'kind',
      'state',
      sql<TariffRequest['plan']>`(select json_build_object('id', p.id, 'name', coalesce(nullif(p.name, ''),
        ${standardPlan}::text)) from plans p where p.id = tariff_requests.plan_id)`.as('plan'),
      sql<TariffRequest['company']>`json_build_object('id', companies.id, 'name', company_name)`.as(
        'company',
      ),
      'email',
      'phone',
      'text',
      'reply',
      'tariff_requests.created_at as createdAt',
    ])
    .$if(companyId !== undefined, (rows) => rows.where('company_id', '=', companyId ?? 0))
    .$if(id !== undefined, (rows) => rows.where('tariff_requests.id', '=', id ?? 0))
    .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? 'open'))
    .where(contains(['companies.company_name'], query.name, companyId === undefined));
  const page = { ...query, page: query.page ?? 1, order: query.order ?? 'DESC' } as const;
  return readList(matching, page, sql.ref('tariff_requests.id'));
}

/**
 * Stores a tariff request of the actor's company and mails the request to `operators`.
 * @param page URL of the console page that lists tariff requests
 * @throws AppError request_open if the company has an open request of the same kind; bad_input for a plan that is not offered
 */
export async function createRequest(
  tx: Tx,
  actor: Member,
  { kind, planId, text }: RequestInput,
  { outbox, page }: { outbox: Outbox; page: string },
): Promise<TariffRequest> {
  const { rows } = await sql<{ id: number }>`
    insert into tariff_requests (company_id, kind, plan_id, email, text)
    select u.company_id, ${kind}, p.id, u.email::text, ${text}
    from users u left join plans p on p.id = ${planId ?? null} and p.offered and ${kind} = 'plan'
    where u.id = ${actor.userId} and (p.id is not null or ${kind} <> 'plan')
    on conflict (company_id, kind) where state = 'open' do nothing returning id`.execute(tx);
  const [created] = rows;
  if (created === undefined) {
    const open = await readRequests(tx, { companyId: actor.companyId, state: 'open' });
    if (open.rows.some((request) => request.kind === kind)) throw new AppError('request_open');
    throw new AppError('bad_input', { fields: { planId: ['gone_from_list'] } });
  }
  const request = await findRequest(tx, created.id);
  await record(tx, actor, { ...target(request), action: 'created', after: auditFields(request) });
  for (const to of await operators(tx)) {
    const { company, email, phone, plan } = request;
    const facts = { kind, company: company.name, by: email, phone, plan: plan?.name ?? '', text, page };
    await queueMail(tx, outbox, { to, code: 'tariff_request', facts: [facts] }, null);
  }
  return request;
}

/** The recipients of mails about tariff requests: the operator's contact address or, if it is empty, at most three ADMINs. */
async function operators(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`select email from contact where email <> '' union all
    (select email::text from users where roles @> '{ADMIN}' and (select email = '' from contact) order by id limit 3)`.execute(
    tx,
  );
  return rows.map(({ email }) => email);
}

/** Withdraws an open tariff request of the actor's company. @throws AppError not_found, request_closed */
export async function withdrawRequest(tx: Tx, actor: Member, id: number): Promise<void> {
  await close(tx, actor, { id, companyId: actor.companyId }, { state: 'withdrawn', reply: '' });
}

/**
 * Answers or refuses an open tariff request, and mails the reply to the address that was stored with the request.
 * @param set stores the plan or the trial of the answer
 * @throws AppError not_found for an unknown request; request_closed for a closed request; bad_input for a refusal without a reason,
 *   or for a refusal with a plan; errors of `set`
 */
export async function answerRequest(
  tx: Tx,
  actor: Actor,
  id: number,
  body: Output<(typeof answerCall)['body']>,
  { outbox, page, set }: { outbox: Outbox; page: string; set: (company: Target) => Promise<unknown> },
): Promise<TariffRequest> {
  const sets = (body.planId ?? body.planEndsAt ?? body.trialEndsAt) !== undefined;
  if (body.state === 'refused' && (sets || body.reply === '')) {
    throw new AppError('bad_input', { fields: sets ? { state: ['unfit'] } : { reply: ['required'] } });
  }
  // Every write locks the company before its other rows.
  if (sets) await lockCompany(tx, (await findRequest(tx, id)).company.id);
  const request = await close(tx, actor, { id, companyId: null }, body);
  if (sets) await set({ id: request.company.id, ifMatch: null });
  const { kind, plan, reply } = request;
  const facts = { kind, plan: plan?.name ?? '', refused: body.state === 'refused', reply, page };
  await queueMail(tx, outbox, { to: request.email, code: 'tariff_answer', facts: [facts] }, null);
  return request;
}

/** Closes an open tariff request. @param companyId null for any company @throws AppError not_found, request_closed */
async function close(
  tx: Tx,
  actor: Actor,
  { id, companyId }: { id: number; companyId: number | null },
  { state, reply }: Pick<TariffRequest, 'state' | 'reply'>,
): Promise<TariffRequest> {
  const row = await tx
    .selectFrom('tariff_requests')
    .select('state')
    .where('id', '=', id)
    .$if(companyId !== null, (rows) => rows.where('company_id', '=', companyId ?? 0))
    .forUpdate()
    .executeTakeFirst();
  if (found(row).state !== 'open') throw new AppError('request_closed');
  const before = await findRequest(tx, id);
  await tx.updateTable('tariff_requests').set({ state, reply }).where('id', '=', id).execute();
  const after = await findRequest(tx, id);
  const event = { ...target(before), action: 'changed', before: auditFields(before) } as const;
  await record(tx, actor, { ...event, after: auditFields(after) });
  return after;
}

const findRequest = async (db: Db, id: number) => found((await readRequests(db, { id })).rows[0]);

const target = ({ id, company }: TariffRequest) =>
  ({ kind: 'request', id, name: company.name, companyId: company.id }) as const;

const auditFields = ({ kind, plan, text, state, reply }: TariffRequest): AuditFields => ({
  type: kind,
  plan: plan?.name ?? '',
  ...{ text, state, reply },
});
