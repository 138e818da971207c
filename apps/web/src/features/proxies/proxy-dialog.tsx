import { createProxy, ProxyInput } from '@propusk/contract/proxies';
import { useCall } from '../../api/queries.ts';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { t } from '../../dictionary/dictionary.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Adds the company's own proxy. */
export function ProxyDialog({ onClose }: { onClose: () => void }) {
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
      {(control) => (
        <>
          <TextField
            control={control}
            name="host"
            label={t.proxies.host}
            placeholder="proxy.company.ru"
            required
            autoFocus
          />
          <TextField
            control={control}
            name="port"
            label={t.proxies.port}
            placeholder="3128"
            inputMode="numeric"
            required
          />
          <TextField control={control} name="username" label={t.proxies.login} required />
          <PasswordField
            control={control}
            name="password"
            label={t.proxies.password}
            autoComplete="new-password"
            required
          />
        </>
      )}
    </FormDialog>
  );
}
