import { Button, Group, Stack, Text } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useMe } from '../../../entities/user/me.tsx';
import { useUnsaved } from '../../../forms/unsaved.ts';
import { useCopy } from '../../../ui/copy-button.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import classes from './second-factor.module.css';

/** The recovery codes, shown once. Until the user has copied, downloaded or confirmed them, leaving the page asks first. */
export function RecoveryCodes(props: { codes: readonly string[]; note?: string; onDone: () => void }) {
  const { codes } = props;
  const { email } = useMe();
  const { copied, copy } = useCopy(codes.join('\n'));
  const [kept, setKept] = useState(false);
  if (copied && !kept) setKept(true);
  useUnsaved(!kept, t.factor.codesLeaveHint);
  const introduction = useRef<HTMLOutputElement>(null);
  // The focused field was unmounted with the form before, so move the focus to the start of this content.
  useEffect(() => introduction.current?.focus(), []);

  function download() {
    const type = 'text/plain;charset=utf-8';
    saveFile(new File([t.factor.file(email, codes)], t.factor.fileName, { type }));
    setKept(true);
  }

  return (
    <Stack gap="md">
      <output ref={introduction} style={{ outline: 'none' }} tabIndex={-1}>
        <Text fw={500}>{t.factor.codesTitle}</Text>
        <Text c="dimmed">{t.factor.codesLead}</Text>
      </output>
      <ul className={classes.codes} aria-label={t.factor.codesList}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          onClick={copy}
        >
          {copied ? t.common.copied : t.factor.copyCodes}
        </Button>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={download}>
          {t.factor.download}
        </Button>
      </Group>
      {props.note && <Text c="dimmed">{props.note}</Text>}
      <div>
        <Button
          onClick={() => {
            setKept(true);
            props.onDone();
          }}
        >
          {t.factor.saved}
        </Button>
      </div>
    </Stack>
  );
}
