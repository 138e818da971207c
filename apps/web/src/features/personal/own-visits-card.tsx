import { myVisits } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconHistory } from '@tabler/icons-react';
import { visitColumns } from '../../entities/visit/visit-columns.tsx';
import { VisitList } from '../../entities/visit/visit-list.tsx';
import { Card } from '../../ui/card.tsx';
import { State } from '../../ui/state.tsx';

const { site, when, where, result } = visitColumns;
const columns = [site, when, where, result];
const query = { take: 10 };

/** The user's own visits and refusals. */
export function OwnVisitsCard() {
  return (
    <Card title={t.visits.own} lead={t.visits.ownHint}>
      <VisitList
        label={t.visits.own}
        list={myVisits}
        query={query}
        columns={columns}
        empty={<State icon={<IconHistory size={24} />} title={t.visits.ownEmpty} />}
      />
    </Card>
  );
}
