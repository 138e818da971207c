import { Text, TextInput } from '@mantine/core';
import { AdminProxyChange, getProxy, type Proxy, updateAnyProxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { ProxyFields } from './proxy-fields.tsx';
import { passwordOfAddress, proxyValues } from './proxy-values.ts';

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
