import { Text } from '@mantine/core';
import { AccessCard } from '../../common/access-card.tsx';
import { useMe } from '../../common/me.tsx';
import { t } from '../../dictionary/dictionary.ts';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import classes from './personal-page.module.css';

/** /dashboard/user/personal-data: who I am to the company, and how I reach its sites. */
export function PersonalPage() {
  const me = useMe();
  return (
    <div className={classes.page}>
      <PageHeader title={t.personal.title} />
      <DefinitionCard
        rows={[
          { key: 'name', term: t.personal.name, value: me.name || t.common.none },
          { key: 'surname', term: t.personal.surname, value: me.surname || t.common.none },
          { key: 'email', term: t.personal.email, value: me.email },
        ]}
        footer={<Text c="dimmed">{t.personal.hint}</Text>}
      />
      <AccessCard />
    </div>
  );
}
