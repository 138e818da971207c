import { Text, VisuallyHidden } from '@mantine/core';
import type { AuditRow } from '@propusk/contract/audit';
import * as t from '@propusk/phrases/console';
import { exactly } from './ago.tsx';
import classes from './audit.module.css';
import { actorOf, detailsOf, sentenceOf } from './sentence.ts';

/** An audit event as a sentence. A click unfolds the changed fields and the exact time. */
export function EventCell({ row }: { row: AuditRow }) {
  const details = detailsOf(row);
  return (
    <div className={classes.event}>
      <p>
        <b>{actorOf(row)}</b>
        {': '}
        {sentenceOf(row)}
      </p>
      <details>
        <summary>{t.audit.more}</summary>
        <Text fz={13} c="dimmed">
          {[
            row.actor.email,
            ...row.actor.roles.map(({ value }) => t.audit.roles[value]),
            exactly(row.at),
          ].join(', ')}
        </Text>
        {details.length > 0 && (
          <dl className={classes.fields}>
            {details.map(({ field, label, before, after }) => (
              <div key={field}>
                <dt>{label}</dt>
                {before && (
                  <dd className={classes.before}>
                    <VisuallyHidden>{t.audit.columns.before}: </VisuallyHidden>
                    {before}
                  </dd>
                )}
                {after && (
                  <dd>
                    <VisuallyHidden>{t.audit.columns.after}: </VisuallyHidden>
                    {after}
                  </dd>
                )}
              </div>
            ))}
          </dl>
        )}
      </details>
    </div>
  );
}
