import { getProxy, type Proxy, ProxyChange, updateProxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { ProxyFields } from './proxy-fields.tsx';
import { passwordOfAddress, proxyValues } from './proxy-values.ts';

/** Edits a proxy of the company. Default proxies, whose credentials belong to the platform, have no such action. */
export function EditProxyDialog({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  return (
    <EditDialog
      title={t.proxies.edit}
      entity={proxy}
      values={proxyValues}
      schema={(stored) => ProxyChange.check(passwordOfAddress(stored))}
      read={getProxy}
      update={updateProxy}
      name={({ host, port }) => `${host}:${port}`}
      onClose={onClose}
    >
      {(control, stored) => <ProxyFields control={control} stored={stored} />}
    </EditDialog>
  );
}
