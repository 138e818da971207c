import { Button, Group, Text } from '@mantine/core';
import { type ImportedUsers, importUsers, previewUsers, type UsersPreview } from '@propusk/contract/imports';
import * as t from '@propusk/phrases/console';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import { ImportDialog } from '../../imports/import-dialog.tsx';
import { useCopy } from '../../ui/copy-button.tsx';
import { formatDay } from '../../ui/day.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveCsv } from '../../ui/save-file.ts';

const { headings } = t.imports;
const content = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const fields = [
  { key: 'email', label: t.users.email, heading: headings.email, content },
  { key: 'surname', label: t.users.surname, heading: headings.surname },
  { key: 'name', label: t.users.name, heading: headings.name },
] as const;

/** Imports users from a table. Where the server sends no mail, the last step has their links. */
export function ImportUsersDialog({ onClose }: { onClose: OnClose }) {
  const add = useCall(importUsers);
  return (
    <ImportDialog
      title={t.imports.usersTitle}
      hint={t.imports.usersHint}
      fields={fields}
      keyOf={(email) => email}
      preview={async (people) => {
        const result = await call(previewUsers, { body: { people } });
        return [t.imports.usersReady(result.count), ...mailsOf(result)].join('. ');
      }}
      save={async (people) => <Done {...(await add.mutateAsync({ body: { people } }))} />}
      onClose={onClose}
    />
  );
}

const mailsOf = ({ mailed, mails }: UsersPreview) => {
  const days = mails.map(({ dueAt, count }) => t.imports.mailsOf(formatDay(dueAt), count));
  return mailed ? [t.imports.mails(days.join(', '))] : [];
};

function Done(made: ImportedUsers) {
  const links = made.invitations.map(({ email, link }) => [email, link]);
  const all = useCopy(links.map((pair) => pair.join(': ')).join('\n'));
  return (
    <>
      <Notice kind="success">{t.imports.usersDone(made.count)}</Notice>
      <Text size="sm">{made.mailed ? mailsOf(made) : t.imports.byHand}</Text>
      {links.length > 0 && (
        <Group gap="xs">
          <Button onClick={() => saveCsv(t.imports.linksFile, links)}>{t.imports.downloadLinks}</Button>
          <Button variant="default" onClick={all.copy}>
            {all.copied ? t.common.copied : t.invitations.copyAll}
          </Button>
        </Group>
      )}
    </>
  );
}
