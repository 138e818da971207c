import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { PasswordField, TextField } from '../../common/fields.tsx';

/** What a proxy's forms hold, be it new or changed. */
interface ProxyValues extends FieldValues {
  host?: string | undefined;
  port?: string | number | undefined;
  username?: string | undefined;
  password?: string | undefined;
}

/** The fields of a proxy: where it is, and how it lets in. `kept` is the password that is there already. */
export function ProxyFields<V extends ProxyValues, O>(props: {
  control: Control<V, unknown, O>;
  password: 'asked' | 'kept';
}) {
  const { control, password } = props;
  // V has these fields by its constraint, which FieldPath cannot see through.
  const field = (name: keyof ProxyValues & string) => name as FieldPath<V>;
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
        description={password === 'kept' ? t.proxies.passwordHint : undefined}
        autoComplete="new-password"
        required={password === 'asked'}
        blank={password === 'kept'}
      />
    </>
  );
}
