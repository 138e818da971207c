import type { Named } from '@propusk/contract/fields';
import type { Share, Statistics } from '@propusk/contract/records';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { Link, type LinkProps } from '@tanstack/react-router';
import { formatBytes, nameOfHost, reasonLabel } from '../../common/visit-text.ts';
import { paths } from '../../paths.ts';
import { type Definition, DefinitionCard } from '../../ui/definition-card.tsx';
import { editOf } from './edit-of.ts';
import classes from './statistics.module.css';
import { useRemedy } from './use-remedy.tsx';

/** The lists of a period: what is used most, the refusals, and what nobody uses. */
export function Lists({ data }: { data: Statistics }) {
  const remedy = useRemedy();
  const siteOf = ({ id, name }: Named) =>
    ({ to: paths.creatorSites, search: { name }, hash: String(id) }) as const;
  return (
    <div className={classes.lists}>
      <List
        title={t.statistics.topSites}
        none={t.statistics.none}
        rows={data.sites.map(shareOf(unicodeHost))}
      />
      <List
        title={t.statistics.topPeople}
        none={t.statistics.none}
        rows={data.users.map(shareOf((name) => name))}
      />
      <List
        title={t.statistics.refused}
        lead={t.statistics.refusedHint}
        none={t.statistics.nothing}
        rows={[...Map.groupBy(data.refused, ({ reason }) => reason)].map(([reason, refusals]) => ({
          key: reason,
          term: reasonLabel(reason),
          value: (
            <ul className={classes.refusals}>
              {refusals.map((refusal) => (
                <li key={`${refusal.user?.id} ${refusal.host}`}>
                  <span>{refusalText(refusal)}</span>
                  {remedy.button(refusal)}
                </li>
              ))}
            </ul>
          ),
        }))}
      />
      <List
        title={t.statistics.unused}
        lead={t.statistics.unusedHint}
        none={t.statistics.nothing}
        rows={data.unused.map(({ user, site }) => ({
          key: `${user.id} ${site.id}`,
          term: user.name,
          value: unicodeHost(site.name),
          tools: <Open {...editOf(user)} />,
        }))}
      />
      <List
        title={t.statistics.idle}
        none={t.statistics.nothing}
        rows={data.idle.map((site) => ({
          key: String(site.id),
          term: unicodeHost(site.name),
          value: '',
          tools: <Open {...siteOf(site)} />,
        }))}
      />
      {remedy.dialog}
    </div>
  );
}

const shareOf =
  (name: (text: string) => string) =>
  (share: Share): Definition => ({
    key: String(share.id),
    term: name(share.name),
    value: t.statistics.share(t.visits.visits(share.visits), formatBytes(share.bytes)),
  });

const refusalText = ({ user, host, count }: Statistics['refused'][number]) =>
  `${user?.name ?? t.visits.someone}, ${nameOfHost(host)}, ${t.visits.times(count)}`;

const Open = (to: LinkProps) => (
  <Link className={classes.link} {...to}>
    {t.statistics.open}
  </Link>
);

function List({ none, rows, ...card }: { title: string; lead?: string; none: string; rows: Definition[] }) {
  return rows.length > 0 ? (
    <DefinitionCard {...card} rows={rows} />
  ) : (
    <DefinitionCard {...card} rows={[]} footer={<p>{none}</p>} />
  );
}
