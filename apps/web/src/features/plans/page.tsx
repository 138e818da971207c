import { Button, Stack } from '@mantine/core';
import { limits } from '@propusk/contract/limits';
import { listPlans, type Plan } from '@propusk/contract/plans';
import { getContact, listRequests, type RequestState } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { dialogLink, useOpen } from '../../dialog-route.tsx';
import classes from '../../entities/company/platform.module.css';
import { RequestsCard } from '../../entities/plan/admin-requests.tsx';
import { ContactLines } from '../../entities/plan/contact.tsx';
import { features, limited, priceOf } from '../../entities/plan/plan-text.ts';
import { AddButton } from '../../lists/add-button.tsx';
import { editing, RowMenu } from '../../lists/row-menu.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Failed } from '../../ui/state.tsx';
import { Tag } from '../../ui/tags.tsx';

const edit = ({ id }: Plan) => dialogLink('/dashboard/admin/plans/$id/edit', id);

const columns: readonly Column<Plan>[] = [
  {
    key: 'name',
    title: t.plans.name,
    main: true,
    lines: 2,
    render: (plan) => (
      <span className={classes.flags}>
        {plan.name}
        {plan.standard && <Tag tone="accent">{t.plans.standard}</Tag>}
        {plan.trial && <Tag tone="special">{t.plans.trial}</Tag>}
        {!plan.offered && <Tag>{t.plans.archived}</Tag>}
      </span>
    ),
  },
  { key: 'price', title: t.plans.price, width: '18cqi', render: priceOf },
  { key: 'contents', title: t.plans.contents, width: '40cqi', render: contentsOf },
  {
    key: 'companies',
    title: t.plans.companies,
    width: '92px',
    short: true,
    render: (plan) => plan.companies,
  },
];

/** The limits of a plan and the features that it includes, in one sentence. */
function contentsOf(plan: Plan): string {
  const free = limited.every((kind) => plan[kind] === null);
  const kinds = free ? [t.plan.unlimited] : limited.map((kind) => t.plan.limit(kind, plan[kind]));
  const included = features.filter((kind) => plan[kind]).map((kind) => t.plan.names[kind]);
  return [...kinds, ...included].join(', ').toLowerCase();
}

/** /dashboard/admin/plans: the plans of the platform, the requests of owners, and the contact that owners see. */
export function PlansPage() {
  const navigate = useNavigate();
  const open = useOpen();
  const [state, setState] = useState<RequestState>('open');
  const plans = useQuery(queryOptions(listPlans, {}));
  const query = { state, page: 1, take: limits.page.maxTake };
  const requests = useQuery({
    ...queryOptions(listRequests, { query }),
    placeholderData: keepPreviousData,
  });
  const contact = useQuery(queryOptions(getContact, {}));
  return (
    <>
      <PageHeader
        title={t.plans.title}
        help={t.plans.help}
        actions={<AddButton to="/dashboard/admin/plans/new" />}
      />
      <DataTable
        label={t.plans.title}
        columns={columns}
        rows={plans.data?.rows ?? (plans.error ? [] : undefined)}
        rowMenu={(plan) => <RowMenu name={plan.name} actions={[editing(edit(plan))]} />}
        rowOpen={(plan) => () => void navigate(edit(plan))}
        skeletonRows={3}
        fallback={<Failed query={plans} title={t.plans.failed} />}
      />
      {/* The cards appear together when everything above them has loaded, so that they do not move. */}
      {!plans.isPending && !requests.isPending && !contact.isPending && (
        <Stack gap="md" mt="xl">
          <RequestsCard query={requests} state={state} onState={setState} />
          <Card
            title={t.plans.contact}
            lead={t.plans.contactHint}
            footer={
              contact.data && (
                <Button variant="default" {...open('/dashboard/admin/plans/contact')}>
                  {t.common.edit}
                </Button>
              )
            }
          >
            <div className={classes.body}>
              {contact.data ? (
                <ContactLines contact={contact.data} none={t.plans.noContact} />
              ) : (
                <Failed query={contact} />
              )}
            </div>
          </Card>
        </Stack>
      )}
      <Outlet />
    </>
  );
}
