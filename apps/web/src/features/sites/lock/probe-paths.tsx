import { Box, Button, Stack } from '@mantine/core';
import { mayAct } from '@propusk/access/probe-path';
import type { Output } from '@propusk/contract/endpoint';
import { getProbePaths, setProbePaths } from '@propusk/contract/probe';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { call } from '../../../api/call.ts';
import { queryOptions, useCall } from '../../../api/queries.ts';
import { shownPath } from '../../../entities/site/start-path.ts';
import { TextAreaField } from '../../../forms/text-area-field.tsx';
import { useContractForm } from '../../../forms/use-contract-form.ts';
import { useSave } from '../../../forms/use-save.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { faultsOf, type PathList, readPaths, tidyPaths } from './typed-paths.ts';

type Stored = Output<(typeof getProbePaths)['reply']>;

interface PathsProps {
  site: { id: number; address: string };
  /** Reports whether the form has unsaved changes. */
  onTyped: (typed: boolean) => void;
}

/** A folded section with the start paths of a site and its URLs that may be open. */
export function ProbePathsSection(props: PathsProps) {
  // No cache, so that the form begins with the current version. A version saved later is a conflict, as in the edit dialogs.
  const query = useQuery({ ...queryOptions(getProbePaths, { params: { id: props.site.id } }), gcTime: 0 });
  const stored = query.data;
  return (
    <Fold
      icon={IconListSearch}
      title={t.lock.paths.glance(stored?.startPaths.length ?? 0, stored?.openPaths.length ?? 0)}
    >
      <Box p="md" style={{ borderTop: '1px solid var(--line)', overflowWrap: 'anywhere' }}>
        {stored && <PathsForm stored={stored} {...props} />}
        <Loaded query={query} title={t.lock.paths.failed} height={180} />
      </Box>
    </Fold>
  );
}

/** The form's values: each list as text, a path in each line. */
const schemaOf = (host: string) => {
  const list = (name: PathList) => {
    const faults = (text: unknown) => faultsOf(name, String(text), host).join('\n');
    return z.string().check(z.refine((text) => faults(text) === '', { error: ({ input }) => faults(input) }));
  };
  return z.object({ startPaths: list('startPaths'), openPaths: list('openPaths') });
};

const textOf = (paths: readonly string[]) => paths.map(shownPath).join('\n');
const typedOf = (stored: Stored) => ({
  startPaths: textOf(stored.startPaths),
  openPaths: textOf(stored.openPaths),
});

function PathsForm({ site, stored, onTyped }: PathsProps & { stored: Stored }) {
  const { mutateAsync } = useCall(setProbePaths);
  // The stored paths that the edit started from. The save sends their version.
  const [base, setBase] = useState(stored);
  const [saved, setSaved] = useState(false);
  const host = unicodeHost(site.address);
  const params = { id: site.id };
  const form = useContractForm(schemaOf(host), typedOf(base));
  const { isDirty, isValid } = form.formState;
  const { isSaving, run, notice } = useSave(form, async () => {
    const fresh = await call(getProbePaths, { params });
    setBase(fresh);
    return typedOf(fresh);
  });
  useEffect(() => {
    onTyped(isDirty);
    return () => onTyped(false);
  }, [isDirty, onTyped]);

  const save = (typed: Record<PathList, string>) =>
    run(async () => {
      const body = {
        startPaths: readPaths(typed.startPaths, host),
        openPaths: readPaths(typed.openPaths, host),
      };
      const reply = await mutateAsync({ params, body, version: base.version });
      setBase(reply);
      form.reset(typedOf(reply));
      setSaved(true);
    });
  const acting = readPaths(form.watch('startPaths'), host).filter(mayAct);
  return (
    <form onSubmit={(event) => form.handleSubmit(save)(event)} noValidate>
      <Stack gap="md">
        {notice}
        {(['startPaths', 'openPaths'] as const).map((list) => (
          <TextAreaField
            key={list}
            control={form.control}
            name={list}
            label={t.lock.paths[list]}
            description={t.lock.paths.hints[list]}
            tidy={(text) => tidyPaths(text, host)}
          />
        ))}
        {acting.length > 0 && <Notice kind="warning">{t.lock.paths.acting(acting.map(shownPath))}</Notice>}
        {saved && !isDirty && <Notice kind="success">{t.lock.paths.saved}</Notice>}
        <Button type="submit" variant="default" disabled={!isValid || !isDirty} loading={isSaving} mr="auto">
          {t.lock.paths.save}
        </Button>
      </Stack>
    </form>
  );
}
