import { Button, Skeleton, Stack } from '@mantine/core';
import { type Company, getCompany } from '@propusk/contract/companies';
import { companyTariff, setTariff, type Tariff } from '@propusk/contract/tariff';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { queryOptions, useCall } from '../../../api/queries.ts';
import { useOpen } from '../../../dialog-route.tsx';
import classes from '../../../entities/company/platform.module.css';
import { AdminRequests } from '../../../entities/plan/admin-requests.tsx';
import { priceOf, untilPhrase } from '../../../entities/plan/plan-text.ts';
import { Usage } from '../../../entities/plan/usage.tsx';
import { SiteLink } from '../../../entities/site/site-link.tsx';
import { userName } from '../../../entities/user/names.ts';
import { lazyPart } from '../../../frame/lazy-part.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog, confirm } from '../../../ui/confirm.ts';
import { formatDay } from '../../../ui/day.tsx';
import { DefinitionCard } from '../../../ui/definition-card.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Failed } from '../../../ui/state.tsx';
import { NameList } from './name-list.tsx';

const CompanyVisits = lazyPart(
  () => import('./company-visits.tsx'),
  'CompanyVisits',
  <Skeleton height={160} aria-busy />,
);

/** /dashboard/admin/companies/:id: a company's plan, usage, requests, users, sites, policies and proxies, for an ADMIN. */
export function AnyCompanyPage() {
  const params = { id: Number(useParams({ strict: false }).id) };
  const company = useQuery(queryOptions(getCompany, { params }));
  const tariff = useQuery(queryOptions(companyTariff, { params }));
  return (
    <>
      <PageHeader
        title={company.data?.companyName ?? t.company.title}
        actions={
          <Button component={Link} to="/dashboard/admin/companies" variant="default">
            {t.companyPage.back}
          </Button>
        }
      />
      {company.data && tariff.data ? (
        <Loaded company={company.data} tariff={tariff.data} />
      ) : (company.error ?? tariff.error) ? (
        <Failed query={company.error ? company : tariff} title={t.companyPage.failed} />
      ) : (
        <Skeleton height={240} aria-busy />
      )}
      <Outlet />
    </>
  );
}

const edits = {
  users: '/dashboard/admin/users/$id/edit',
  proxies: '/dashboard/admin/proxies/$id/edit',
  sites: undefined,
  policies: undefined,
} as const;

function Loaded({ company, tariff }: { company: Company; tariff: Tariff }) {
  const open = useOpen();
  const lists = {
    users: company.users.map((user) => ({ id: user.id, name: userName(user), more: user.email })),
    sites: company.domainsAllowed.map(({ id, address }) => ({ id, name: <SiteLink address={address} /> })),
    policies: company.politics,
    proxies: company.proxy.map(({ id, host, port }) => ({
      id,
      name: `${unicodeHost(host)}:${port}`,
    })),
  };
  return (
    <Stack gap="md">
      <div className={classes.grid}>
        <PlanCard company={company} tariff={tariff} />
        <Card title={t.companyPage.usage}>
          <div className={classes.body}>
            <Usage plan={tariff.plan} used={tariff.used} />
          </div>
        </Card>
      </div>
      <CompanyVisits id={company.id} />
      {tariff.requests.length > 0 && (
        <Card title={t.requests.title}>
          <AdminRequests requests={tariff.requests} />
        </Card>
      )}
      <div className={classes.grid}>
        {(['users', 'sites', 'policies', 'proxies'] as const).map((kind) => (
          <NameList
            key={kind}
            title={t.nav[kind]}
            names={lists[kind]}
            edit={edits[kind]}
            footer={
              kind === 'users' ? (
                <p>{t.companyPage.extensions(company.extensions)}</p>
              ) : (
                kind === 'proxies' && (
                  <Button variant="default" {...open('/dashboard/admin/companies/$id/proxy', company.id)}>
                    {t.companyPage.addPaid}
                  </Button>
                )
              )
            }
          />
        ))}
      </div>
    </Stack>
  );
}

function PlanCard(props: { company: Company; tariff: Tariff }) {
  const open = useOpen();
  const { plan, ownPlan, planEndsAt, trialEndsAt, trialRuns, phone } = props.tariff;
  const { mutateAsync } = useCall(setTariff);
  const client = useQueryClient();
  async function save() {
    const params = { id: props.company.id };
    // The open confirmation dialog keeps this closure, but a retry after a conflict needs the reloaded tariff from the cache.
    const stored = client.getQueryData(queryOptions(companyTariff, { params }).queryKey) ?? props.tariff;
    const body = {
      planId: stored.ownPlan.id,
      planEndsAt: stored.planEndsAt ?? undefined,
      trialEndsAt: new Date().toISOString(),
    };
    await mutateAsync({ params, body, version: stored.version });
  }
  const endTrial = () =>
    confirm({
      text: t.companyPage.endTrialQuestion,
      hint: t.companyPage.endTrialHint,
      yes: t.companyPage.endTrial,
      danger: true,
      action: save,
      done: [t.companyPage.trialOver, props.company.companyName],
    });
  const tool = { variant: 'subtle', size: 'compact-sm' } as const;
  return (
    <DefinitionCard
      title={t.tariff.title}
      rows={[
        { term: t.companyPage.inForce, value: `${plan.name}, ${priceOf(plan)}` },
        {
          term: t.companyPage.plan,
          value: ownPlan.name,
          tools: (
            <Button {...tool} {...open('/dashboard/admin/companies/$id/tariff', props.company.id)}>
              {t.common.edit}
            </Button>
          ),
        },
        {
          term: t.companyPage.ends,
          value: planEndsAt ? untilPhrase(t.plan.rest, planEndsAt) : t.tariff.noEnd,
        },
        {
          term: t.companyPage.trial,
          value: !trialEndsAt
            ? t.companyPage.noTrial
            : trialRuns
              ? untilPhrase(t.plan.rest, trialEndsAt)
              : t.companyPage.trialEnded(formatDay(trialEndsAt)),
          tools: trialRuns && (
            <Button {...tool} onClick={() => void endTrial()} {...ConfirmDialog.intent}>
              {t.companyPage.endTrial}
            </Button>
          ),
        },
        { term: t.plans.contactPhone, value: t.shownPhone(phone) || t.tariff.noPhone },
      ]}
    />
  );
}
