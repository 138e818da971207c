import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import {
  AdminProxyChange,
  createProxy,
  getProxy,
  type Proxy,
  ProxyChange,
  ProxyInput,
  updateAnyProxy,
  updateProxy,
} from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { useCall } from '../../api/queries.ts';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { isMoved, passwordOfAddress, proxyValues } from './proxy-values.ts';

/** Form values of a proxy, new or edited. */
interface ProxyValues extends FieldValues {
  host?: string | undefined;
  port?: string | number | undefined;
  username?: string | undefined;
  password?: string | undefined;
}

/** The fields of a proxy. An empty password keeps the stored one, unless the host or port changes. */
function ProxyFields<V extends ProxyValues, O>(props: { control: Control<V, unknown, O>; stored?: Proxy }) {
  const { control, stored } = props;
  // The cast: the constraint of V guarantees these fields, but TypeScript cannot derive it for FieldPath.
  const field = (name: keyof ProxyValues & string) => name as FieldPath<V>;
  const [host, port, password] = useWatch({
    control,
    name: [field('host'), field('port'), field('password')],
  });
  const moved = stored !== undefined && isMoved(stored, { host, port });
  // The form validates a field only when that field changes. When the address is typed back, clear the password's error.
  const isSettled = stored !== undefined && !moved && !password;
  return (
    <>
      <TextField
        control={control}
        name={field('host')}
        label={t.proxies.host}
        placeholder="proxy.company.ru"
        required
        autoFocus
      />
      <TextField
        control={control}
        name={field('port')}
        label={t.proxies.port}
        placeholder="3128"
        inputMode="numeric"
        required
      />
      <TextField control={control} name={field('username')} label={t.proxies.login} required />
      <PasswordField
        control={control}
        name={field('password')}
        label={t.proxies.password}
        description={stored && (moved ? t.proxies.passwordMoved : t.proxies.passwordHint)}
        autoComplete="new-password"
        required={stored === undefined || moved}
        blank={stored !== undefined}
        hidesError={isSettled}
      />
    </>
  );
}

/** Adds a proxy. The api assigns it to the user's company, or to the platform for an ADMIN without a company. */
export function CreateProxyDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createProxy);
  return (
    <FormDialog
      title={t.proxies.create}
      schema={ProxyInput}
      initial={{ host: '', port: '', username: '', password: '' }}
      submit={async (body, signal) => {
        const proxy = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, `${t.proxies.port} ${proxy.port}`);
      }}
      onClose={onClose}
    >
      {(control) => <ProxyFields control={control} />}
    </FormDialog>
  );
}

/** Edits a proxy of the owner's company. */
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

/**
 * Lets an ADMIN edit any proxy. The type is fixed (spec section 4). For the platform's gateway only the flag
 * `allSites` can change: the server's settings determine its other fields.
 */
export function EditAnyProxyDialog({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  return (
    <EditDialog
      title={t.proxies.edit}
      entity={proxy}
      values={(stored: Proxy) => {
        const { type, allSites } = stored.settings;
        const settings = { settings: { type, allSites } };
        return stored.direct ? settings : { ...proxyValues(stored), ...settings };
      }}
      schema={(stored) => AdminProxyChange.check(passwordOfAddress(stored))}
      read={getProxy}
      update={updateAnyProxy}
      name={({ host, port }) => `${host}:${port}`}
      onClose={onClose}
    >
      {(control, stored) => (
        <>
          {stored.direct ? (
            <>
              <Text c="dimmed">{t.proxies.directHint}</Text>
              <TextInput label={t.proxies.host} value={stored.host} disabled />
              <TextInput label={t.proxies.port} value={stored.port} disabled />
            </>
          ) : (
            <ProxyFields control={control} stored={stored} />
          )}
          <TextInput
            label={t.proxies.type}
            description={t.proxies.typeHint}
            value={t.proxies.types[stored.settings.type]}
            disabled
          />
          <CheckboxField
            control={control}
            name="settings.allSites"
            label={t.proxies.allSites}
            description={t.proxies.allSitesHint}
          />
        </>
      )}
    </EditDialog>
  );
}

/** Shows whom to contact to order a paid proxy. */
export function PaidDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.proxies.paidTitle} size={440}>
      <Text>{t.proxies.paidText}</Text>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose} data-autofocus>
          {t.proxies.paidClose}
        </Button>
      </Group>
    </Modal>
  );
}
