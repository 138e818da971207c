import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Chip.css';
import '@mantine/core/styles/Group.css';
import { Checkbox, Chip, Group, Input, Text } from '@mantine/core';
import type { LockKind, Snippet } from '@propusk/contract/lock';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { Code } from '../../../ui/code.tsx';
import { Notice } from '../../../ui/notice.tsx';
import classes from './snippets.module.css';

type Server = keyof typeof t.lock.servers;
const servers = (Object.keys(t.lock.servers) as Server[]).map((value) => ({
  value,
  label: t.lock.servers[value],
}));

/**
 * The lines of a lock for a chosen kind of web server, with the file that they belong in, and notes.
 * @param props.heading the level of its headings: one below the heading of the section around it
 */
export function Snippets({ snippets, heading }: { snippets: readonly Snippet[]; heading: 'h2' | 'h3' }) {
  const has = (kind: string) => snippets.some((one) => one.kind === kind);
  const offered = servers.filter(({ value }) => has(value));
  const [chosen, setChosen] = useState<Server>('htaccess');
  const [cdn, setCdn] = useState(false);
  const server = offered.some(({ value }) => value === chosen) ? chosen : offered[0]?.value;
  const kind: LockKind | undefined = cdn ? (`${server}-cdn` as LockKind) : server;
  const snippet = snippets.find((one) => one.kind === kind);
  return (
    <div className={classes.snippets}>
      <Input.Wrapper label={t.lock.server} labelElement="div">
        <Chip.Group value={server ?? ''} onChange={(value) => setChosen(value as Server)}>
          <Group gap={6} role="radiogroup" aria-label={t.lock.server}>
            {offered.map(({ value, label }) => (
              <Chip key={value} value={value} variant="outline" radius="sm">
                {label}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
      <Checkbox
        label={t.lock.cdn}
        description={t.lock.cdnHint}
        checked={cdn}
        onChange={(event) => setCdn(event.currentTarget.checked)}
      />
      {snippet ? (
        <Lines snippet={snippet} Heading={heading} />
      ) : (
        <Notice kind="warning">{t.lock.noCdn}</Notice>
      )}
    </div>
  );
}

function Lines({ snippet, Heading }: { snippet: Snippet; Heading: 'h2' | 'h3' }) {
  return (
    <>
      <div>
        <Heading className={classes.title}>{t.lock.place}</Heading>
        <Text style={{ overflowWrap: 'anywhere' }}>{snippet.place}</Text>
      </div>
      <Code title={snippet.title} text={snippet.text} label={t.lock.code} copy={t.lock.copy} />
      {snippet.notes.length > 0 && (
        <div>
          <Heading className={classes.title}>{t.lock.notes}</Heading>
          <ul className={classes.notes}>
            {snippet.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
