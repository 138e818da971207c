import { registrationMode } from '@propusk/contract/registration';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';

/** Whether the server sends mail. Before the reply, and after a failed call, this is true. */
export function useMailed(): boolean {
  return useQuery(queryOptions(registrationMode, {})).data?.mailed ?? true;
}

/** Says where the mail is when the server sends none. Otherwise shows nothing. */
export function NoMail() {
  return useMailed() ? null : <Notice kind="hint">{t.noMail}</Notice>;
}
