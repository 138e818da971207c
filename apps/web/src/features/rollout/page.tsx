import '@mantine/core/styles/Group.css';
import { Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { extensionBuilds } from '@propusk/contract/extension-builds';
import * as t from '@propusk/phrases/console';
import { IconDownload, IconPuzzleOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, useState } from 'react';
import type { Reply } from '../../api/call.ts';
import { queryOptions } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { Code } from '../../ui/code.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { State } from '../../ui/state.tsx';
import { type Browser, type Build, buildsFor, policyFile, type System } from './policy-files.ts';

/** The page on which a browser lists its policies, and the vendor's documentation. */
const pages = {
  chrome: ['chrome://policy', 'https://support.google.com/chrome/a/answer/9867568'],
  edge: [
    'edge://policy',
    'https://learn.microsoft.com/deployedge/microsoft-edge-manage-extensions-ref-guide',
  ],
  yandex: ['browser://policy', 'https://yandex.ru/support/browser-corporate/ru/policy/extension-settings'],
  chromium: ['chrome://policy', 'https://support.google.com/chrome/a/answer/9867568'],
  firefox: [
    'about:policies',
    'https://mozilla.github.io/enterprise-admin-reference/reference/policies/extensionsettings/',
  ],
} as const;

/** /dashboard/creator/rollout: a policy that installs the extension on all machines of the company. */
export function RolloutPage() {
  const query = useQuery(queryOptions(extensionBuilds, {}));
  return (
    <>
      <PageHeader title={t.rollout.title} />
      <Stack gap="lg" maw={800}>
        <Text>{t.rollout.lead}</Text>
        <Loaded query={query} title={t.rollout.failed} height={480}>
          {(builds) => <Rollout builds={builds} />}
        </Loaded>
      </Stack>
    </>
  );
}

const options = <Value extends string>(labels: Record<Value, string>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

function select<Value extends string>(
  label: string,
  data: { value: Value; label: string }[],
  value: Value,
  onChange: (value: Value) => void,
) {
  // The cast: the select has no other values.
  const change = (event: ChangeEvent<HTMLSelectElement>) => onChange(event.currentTarget.value as Value);
  return <NativeSelect label={label} data={data} value={value} onChange={change} />;
}

function Rollout({ builds }: { builds: Reply<typeof extensionBuilds> }) {
  const [system, setSystem] = useState<System>('windows');
  const [chosen, setBrowser] = useState<Browser>('chrome');
  const [source, setSource] = useState<Build['source']>();
  // Only Linux distributions ship Chromium.
  const browsers = options(t.rollout.browsers).filter(
    (one) => system === 'linux' || one.value !== 'chromium',
  );
  const browser = browsers.find(({ value }) => value === chosen)?.value ?? 'chrome';
  const offered = buildsFor(browser, builds);
  const build = offered.find((one) => one.source === source) ?? offered[0];
  return (
    <>
      <Group gap="md">
        {select(t.rollout.browser, browsers, browser, setBrowser)}
        {select(t.rollout.system, options(t.rollout.systems), system, setSystem)}
        {build &&
          offered.length > 1 &&
          select(t.rollout.source, options(t.rollout.sources), build.source, setSource)}
      </Group>
      {build ? (
        <Policy browser={browser} system={system} build={build} consoleUrl={builds.consoleUrl} />
      ) : (
        <Card>
          <State icon={<IconPuzzleOff size={24} />} title={t.rollout.none} hint={t.rollout.noneHint} />
        </Card>
      )}
    </>
  );
}

type Target = { browser: Browser; system: System; build: Build };

/** The policy file of a browser and a system, the steps to roll it out, and the requirements of the system. */
function Policy({ consoleUrl, ...target }: Target & { consoleUrl: string }) {
  const { browser, system, build } = target;
  const { kind, name, path, text, values } = policyFile(browser, system, build, consoleUrl);
  const [policies, vendor] = pages[browser];
  const save = () => saveFile(new File([text], name, { type: 'application/octet-stream' }));
  return (
    <>
      <Notice kind="hint">
        {notesOn(target).map((note) => (
          <Text key={note} mb={8}>
            {note}
          </Text>
        ))}
        <Anchor href={vendor} target="_blank" rel="noopener noreferrer" inherit>
          {t.rollout.vendor(browser !== 'yandex')}
        </Anchor>
      </Notice>
      <Card title={t.rollout.steps}>
        <Stack component="ol" gap="sm" m={0} pl={44} pr="lg" pb="lg" style={{ overflowWrap: 'anywhere' }}>
          <li>
            {t.rollout.take(name)}{' '}
            <Button size="compact-sm" leftSection={<IconDownload size={16} aria-hidden />} onClick={save}>
              {t.rollout.download}
            </Button>
          </li>
          <li>
            {t.rollout.place[kind](path)} {t.rollout.merge[kind]}
          </li>
          <li>{t.rollout.verify(policies)}</li>
          <li>
            {t.rollout.ten}{' '}
            <Anchor component={Link} to="/dashboard/creator/users" inherit>
              {t.rollout.users}
            </Anchor>
            .
          </li>
        </Stack>
      </Card>
      <Code title={name} text={text} label={t.rollout.code} copy={t.rollout.copy} />
      {values && (
        <Card title={t.rollout.group} lead={t.rollout.groupHint}>
          <Stack gap="sm" px="lg" pb="lg">
            {values.map((one) => (
              <Code key={one.name} title={one.name} text={one.value} label={one.name} copy={t.rollout.copy} />
            ))}
          </Stack>
        </Card>
      )}
    </>
  );
}

/** The requirements of a browser and a system for the installation, and whether a test of ours installs the extension this way. */
function notesOn({ browser, system, build }: Target): string[] {
  const { mozilla, esr, onlyEsr, untested, mdm, guessed, tested } = t.rollout;
  const isSigned = build.source === 'signed';
  // Tests install the signed builds on Linux, in Chromium and in Firefox ESR.
  const isTested = system === 'linux' && isSigned;
  if (browser === 'firefox')
    return [...(isSigned && !build.mozilla ? [mozilla, esr] : []), isTested ? onlyEsr : untested];
  if (browser === 'chromium') return [isTested ? tested : untested];
  if (system === 'macos') return [mdm, ...(browser === 'yandex' ? [guessed] : []), untested];
  if (system === 'linux') return [...(browser === 'edge' ? [guessed] : []), untested];
  // Chrome installs from the Chrome Web Store on any machine. The other browsers have stores of their own.
  return [...(browser === 'chrome' && !isSigned ? [] : [t.rollout[browser]]), untested];
}
