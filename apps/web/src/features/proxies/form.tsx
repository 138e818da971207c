import { Text, TextInput } from '@mantine/core';
import {
  AdminProxyChange,
  createProxy,
  getProxy,
  listAllProxies,
  listProxies,
  type Proxy,
  ProxyChange,
  ProxyInput,
  updateAnyProxy,
  updateProxy,
} from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { ProxyFields } from '../../entities/proxy/proxy-fields.tsx';
import { passwordOfAddress, proxyValues } from '../../entities/proxy/proxy-values.ts';
import { useMe } from '../../entities/user/me.tsx';
import { CheckboxField } from '../../forms/checkbox-field.tsx';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Adds a proxy. The api assigns it to the user's company, or to the platform for an ADMIN without a company. */
export function CreateProxyDialog({ onClose }: { onClose: OnClose }) {
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

/** Adds a proxy of the platform. For an ADMIN with a company the api would add it to that company. */
export function CreatePlatformProxyDialog(props: { onClose: OnClose }) {
  return useMe().company === null && <CreateProxyDialog {...props} />;
}

/** Edits a proxy of the owner's company. */
export function EditProxyDialog({ onClose }: { onClose: OnClose }) {
  return (
    <EditDialog
      title={t.proxies.edit}
      query={useEntity(getProxy, listProxies)}
      values={proxyValues}
      schema={(stored) => ProxyChange.check(passwordOfAddress(stored))}
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
export function EditAnyProxyDialog({ onClose }: { onClose: OnClose }) {
  return (
    <EditDialog
      title={t.proxies.edit}
      query={useEntity(getProxy, listAllProxies)}
      values={(stored: Proxy) => {
        const { type, allSites } = stored.settings;
        const settings = { settings: { type, allSites } };
        return stored.direct ? settings : { ...proxyValues(stored), ...settings };
      }}
      schema={(stored) => AdminProxyChange.check(passwordOfAddress(stored))}
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
