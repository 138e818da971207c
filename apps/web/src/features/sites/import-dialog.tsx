import { createSites, previewSites } from '@propusk/contract/sites';
import * as t from '@propusk/phrases/console';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import { usePolicyNames } from '../../entities/policy/policy-names.ts';
import { splitAddress } from '../../entities/site/start-path.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import type { Field } from '../../imports/arrange.ts';
import { ImportDialog } from '../../imports/import-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

const fields: readonly Field[] = [
  {
    key: 'address',
    label: t.sites.address,
    heading: t.imports.headings.address,
    content: /^([a-z]+:\/\/)?[^\s@/]+\.[^\s@/]{2,}/i,
  },
  { key: 'politics', label: t.sites.policies, heading: t.imports.headings.politics },
];

/** Imports sites from a table. */
export function ImportSitesDialog({ onClose }: { onClose: OnClose }) {
  const add = useCall(createSites);
  const policyNames = usePolicyNames();
  return (
    <ImportDialog
      title={t.imports.sitesTitle}
      hint={t.imports.sitesHint}
      fields={fields}
      prepare={async () => {
        const find = await policyNames();
        return ({ address = '', politics = '' }) => {
          const found = find(politics);
          const key = (splitAddress(address)?.host ?? address).toLowerCase().replace(/^[a-z]+:\/\//, '');
          return { value: { address, politics: found.politics }, key, fault: found.fault };
        };
      }}
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
