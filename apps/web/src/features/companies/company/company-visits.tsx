import { companyFigures, companyVisits } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../../api/queries.ts';
import classes from '../../../entities/company/platform.module.css';
import { Figures } from '../../../entities/visit/figures.tsx';
import { visitColumns } from '../../../entities/visit/visit-columns.tsx';
import { VisitList } from '../../../entities/visit/visit-list.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { State } from '../../../ui/state.tsx';

const { site, person, when, where, result, traffic } = visitColumns;
const columns = [site, person, when, where, result, traffic];

/** The figures of a company's last 30 days, and its visits while an owner allows the support to read them. */
export function CompanyVisits({ id }: { id: number }) {
  const params = { id };
  const query = useQuery(queryOptions(companyFigures, { params }));
  return (
    <section aria-label={t.companyPage.visits}>
      <h2 className={classes.title}>{t.companyPage.visits}</h2>
      <Loaded query={query} title={t.companyPage.visitsFailed} height={120}>
        {({ supportUntil, ...figures }) => (
          <>
            <Figures data={figures} />
            <p className={classes.support}>
              {supportUntil
                ? t.companyPage.visitsOpen(formatMoment(supportUntil))
                : t.companyPage.visitsClosed}
            </p>
            {supportUntil && (
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
        )}
      </Loaded>
    </section>
  );
}
