import { createSites, previewSites } from '@propusk/contract/sites';
import * as t from '@propusk/phrases/console';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import { splitAddress } from '../../entities/site/start-path.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import { ImportDialog } from '../../imports/import-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

const content = /^([a-z]+:\/\/)?[^\s@/]+\.[^\s@/]{2,}/i;
const fields = [
  { key: 'address', label: t.sites.address, heading: t.imports.headings.address, content },
] as const;
const hostOf = (typed: string) => splitAddress(typed)?.host ?? typed.replace(/^[a-z]+:\/\//i, '');

/** Imports sites from a table. */
export function ImportSitesDialog({ onClose }: { onClose: OnClose }) {
  const add = useCall(createSites);
  return (
    <ImportDialog
      title={t.imports.sitesTitle}
      hint={t.imports.sitesHint}
      fields={fields}
      keyOf={hostOf}
      preview={async (body) => {
        await call(previewSites, { body });
        return t.imports.sitesReady(body.length);
      }}
      save={async (body) => {
        const { count } = await add.mutateAsync({ body });
        return <Notice kind="success">{t.imports.sitesDone(count)}</Notice>;
      }}
      onClose={onClose}
    />
  );
}
