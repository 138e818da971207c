import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Combobox.css';
import { Button, NativeSelect, Select } from '@mantine/core';
import { exportVisits, listVisits, type Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconHistory, IconSearch } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSiteOptions, useUserOptions } from '../../entities/use-options.ts';
import { visitColumns, whenIn } from '../../entities/visit/visit-columns.tsx';
import { VisitList } from '../../entities/visit/visit-list.tsx';
import { DayInput } from '../../forms/day-input.tsx';
import type { Option } from '../../forms/select-fields.tsx';
import { ExportButton } from '../../lists/export-button.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { State } from '../../ui/state.tsx';
import { type LogSearch, logQuery, parseLog } from './log-search.ts';
import classes from './statistics.module.css';
import { useRemedy } from './use-remedy.tsx';

const VisitDialog = lazyDialog(() => import('./visit-dialog.tsx'), 'VisitDialog');
const { site, person, where, result, traffic } = visitColumns;

/** The access log: visits and refusals, newest first, with filters in the URL. */
export function Log({ zone }: { zone: string }) {
  const columns = [site, person, whenIn(zone), where, result, traffic];
  const navigate = useNavigate();
  const search = parseLog(useSearch({ strict: false }), zone);
  const [opened, setOpened] = useState<Visit | null>(null);
  const remedy = useRemedy(() => setOpened(null));
  /** Merges a change into the current URL, because a delayed search may arrive after another filter has changed. */
  const go = (change: LogSearch) =>
    void navigate({
      to: '.',
      search: (old: LogSearch) => parseLog({ ...old, ...change }, zone),
      replace: true,
    });
  const reset = () => void navigate({ to: '.', search: {}, replace: true });
  const query = logQuery(search, zone);
  const filtered = Object.keys(query).length > 0;
  return (
    <>
      <Filters search={search} onSearch={go} />
      <div className={classes.filters}>
        {filtered && (
          <Button variant="subtle" onClick={reset}>
            {t.list.reset}
          </Button>
        )}
        <ExportButton endpoint={exportVisits} query={query} formats={['csv', 'jsonl']} />
        <span className={classes.quiet}>{t.statistics.month}</span>
      </div>
      <VisitList
        label={t.statistics.log}
        list={listVisits}
        query={query}
        columns={columns}
        rowOpen={(visit) => () => setOpened(visit)}
        empty={
          filtered ? (
            <State icon={<IconSearch size={24} />} title={t.statistics.logNone} />
          ) : (
            <State
              icon={<IconHistory size={24} />}
              title={t.statistics.logEmpty}
              hint={t.statistics.logEmptyHint}
            />
          )
        }
      />
      {opened && (
        <VisitDialog
          visit={opened}
          zone={zone}
          remedy={opened.kind === 'refusal' && remedy.button(opened)}
          onClose={() => setOpened(null)}
        />
      )}
      {remedy.dialog}
    </>
  );
}

const results = [
  { value: '', label: t.statistics.all },
  { value: 'allowed', label: t.statistics.allowed },
  { value: 'refused', label: t.statistics.figures.refusals },
];
const reasons = [
  { value: '', label: t.statistics.all },
  ...Object.entries(t.visits.reasons).map(([value, label]) => ({ value, label })),
];

type Change = { [Key in keyof LogSearch]?: LogSearch[Key] | string | undefined };

function Filters({ search, onSearch }: { search: LogSearch; onSearch: (change: LogSearch) => void }) {
  const people = useUserOptions([]);
  const sites = useSiteOptions([]);
  // The cast: parseLog drops the values that no filter has.
  const set = (change: Change) => onSearch(change as LogSearch);
  const choice = (key: 'user' | 'site', label: string, options: readonly Option[]) => (
    <Select
      label={label}
      placeholder={t.statistics.all}
      data={options.map((option) => ({ value: String(option.value), label: option.label }))}
      value={search[key] === undefined ? null : String(search[key])}
      onChange={(value) => set({ [key]: value ?? undefined })}
      searchable
      clearable
      nothingFoundMessage={t.common.notFoundOption}
    />
  );
  const list = (key: 'result' | 'reason', label: string, data: typeof results) => (
    <NativeSelect
      label={label}
      data={data}
      value={search[key] ?? ''}
      onChange={({ currentTarget }) => set({ [key]: currentTarget.value })}
    />
  );
  return (
    <div className={classes.filters}>
      {choice('user', t.visits.person, people)}
      {choice('site', t.visits.site, sites)}
      <DayInput label={t.statistics.from} value={search.from} onDay={(from) => set({ from })} />
      <DayInput label={t.statistics.to} value={search.to} onDay={(to) => set({ to })} />
      {list('result', t.visits.result, results)}
      {list('reason', t.statistics.reason, reasons)}
      <SearchField
        label={t.visits.where}
        value={search.address ?? ''}
        onSearch={(address) => set({ address })}
      />
    </div>
  );
}
