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

/** The fields of a proxy: address and credentials. An untouched password of a stored proxy stays until its address changes. */
function ProxyFields<V extends ProxyValues, O>(props: { control: Control<V, unknown, O>; stored?: Proxy }) {
  const { control, stored } = props;
  // V has these fields by its constraint; FieldPath does not see it.
  const field = (name: keyof ProxyValues & string) => name as FieldPath<V>;
  const [host, port, password] = useWatch({
    control,
    name: [field('host'), field('port'), field('password')],
  });
  const moved = stored !== undefined && isMoved(stored, { host, port });
  // A shown error must not outlive its reason: the form checks a field again only when that field changes.
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

/**
 * Edits any proxy, for an ADMIN. The type is fixed (spec section 4). Of the gateway's own row only the flag can
 * change; the rest comes from settings.
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

/** Shows the contact for a paid proxy. */
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
