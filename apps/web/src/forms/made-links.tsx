import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { CopyButton, useCopy } from '../ui/copy-button.tsx';
import { Dialog, type OnClose, useExit } from './dialog.tsx';

/** A link that was just made, under its label. */
export interface MadeLink {
  label: string;
  link: string;
  copyLabel: string;
}

/** Shows secret links once, for the user to pass on. */
export function MadeLinks(props: {
  title: string;
  hint: string;
  links: readonly MadeLink[];
  onClose: OnClose;
}) {
  const { links } = props;
  const all = useCopy(links.map(({ label, link }) => `${label}: ${link}`).join('\n'));
  const exit = useExit(props.onClose);
  const close = () => exit.leave(true);
  return (
    <Dialog
      exit={exit}
      onClose={close}
      title={props.title}
      // The links are shown only once, so only a button closes the dialog.
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Text size="sm">{props.hint}</Text>
        {links.map(({ label, link, copyLabel }, at) => (
          <TextInput
            key={link}
            label={label}
            value={link}
            readOnly
            data-autofocus={at === 0 || undefined}
            onFocus={(event) => event.currentTarget.select()}
            rightSection={<CopyButton value={link} label={copyLabel} />}
          />
        ))}
        <Group justify="flex-end">
          {links.length > 1 && (
            <Button variant="default" onClick={all.copy}>
              {all.copied ? t.common.copied : t.invitations.copyAll}
            </Button>
          )}
          <Button onClick={close}>{t.common.close}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
