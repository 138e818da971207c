import { createProxy, ProxyInput } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { ProxyFields } from './proxy-fields.tsx';

/** Adds a proxy: the company's own, or for an ADMIN one of the platform. */
export function CreateProxyDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createProxy);
  return (
    <FormDialog
      title={t.proxies.create}
      schema={ProxyInput}
      initial={{ host: '', port: '', username: '', password: '' }}
      submit={async (body) => {
        const proxy = await create.mutateAsync({ body });
        toastSuccess(t.alerts.created, `${t.proxies.port} ${proxy.port}`);
      }}
      onClose={onClose}
    >
      {(control) => <ProxyFields control={control} />}
    </FormDialog>
  );
}
