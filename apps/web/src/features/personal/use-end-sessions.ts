import { endOtherSessions, endSession, type Session } from '@propusk/contract/sessions';
import * as t from '@propusk/phrases/console';
import { ApiError } from '../../api/api-error.ts';
import { useCall } from '../../api/queries.ts';
import { useMe } from '../../entities/user/me.tsx';
import { confirm } from '../../ui/confirm.ts';

/** Actions that end one session or all other sessions. Each asks for confirmation and names the consequence. */
export function useEndSessions(refetch: () => Promise<unknown>) {
  const one = useCall(endSession);
  const others = useCall(endOtherSessions);
  const { company } = useMe();
  const ask = (text: string, loss: string, action: () => Promise<unknown>, done: [string, string?]) =>
    confirm({
      text,
      // A user without a company has no gateway password.
      hint: company ? `${loss} ${t.sessions.lossOfAccess}` : loss,
      yes: t.sessions.end,
      danger: true,
      action,
      done,
    });

  return {
    end({ id, client }: Session, name: string) {
      const action = async () => {
        try {
          await one.mutateAsync({ params: { id } });
        } catch (error) {
          // 404: the session has already ended, so there is nothing to report.
          if (!(error instanceof ApiError && error.status === 404)) throw error;
          await refetch();
        }
      };
      return ask(t.sessions.question, `${name}. ${t.sessions.loss[client]}`, action, [
        t.sessions.ended,
        name,
      ]);
    },
    endOthers: () =>
      ask(t.sessions.questionOthers, t.sessions.lossOfOthers, () => others.mutateAsync({}), [
        t.sessions.endedOthers,
      ]),
  };
}
