import { Skeleton } from '@mantine/core';
import { companyFigures, companyVisits } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { Figures } from '../../common/figures.tsx';
import { visitColumns } from '../../common/visit-columns.tsx';
import { VisitList } from '../../common/visit-list.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { Failed, State } from '../../ui/state.tsx';
import classes from './platform.module.css';

const { site, person, when, where, result, traffic } = visitColumns;
const columns = [site, person, when, where, result, traffic];

/** The figures of a company's last 30 days, and its visits while an owner lets the support read them. */
export function CompanyVisits({ id }: { id: number }) {
  const params = { id };
  const query = useQuery(queryOptions(companyFigures, { params }));
  const { data } = query;
  const content = data ? (
    <>
      <Figures data={data} />
      <p className={classes.support}>
        {data.supportUntil
          ? t.companyPage.visitsOpen(formatMoment(data.supportUntil))
          : t.companyPage.visitsClosed}
      </p>
      {data.supportUntil && (
        <VisitList
          label={t.statistics.log}
          list={companyVisits}
          params={params}
          query={{}}
          columns={columns}
          empty={<State icon={<IconHistory size={24} />} title={t.statistics.logEmpty} />}
        />
      )}
    </>
  ) : query.error ? (
    <Failed query={query} title={t.companyPage.visitsFailed} />
  ) : (
    <Skeleton height={120} aria-busy />
  );
  return (
    <section aria-label={t.companyPage.visits}>
      <h2 className={classes.title}>{t.companyPage.visits}</h2>
      {content}
    </section>
  );
}
