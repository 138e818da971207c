import { Anchor, Button } from '@mantine/core';
import { type Company, myCompany, updateMyCompany } from '@propusk/contract/companies';
import { allCompanyUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { queryOptions, useCall } from '../../api/queries.ts';
import { useMe } from '../../entities/user/me.tsx';
import { messageOf } from '../../forms/use-attempt.ts';
import { FACTOR_HASH } from '../../paths.ts';
import { ConfirmDialog, confirm } from '../../ui/confirm.ts';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { toastFailure } from '../../ui/toast.ts';

const text = t.factor.company;

/** The company's requirement of a second factor, and its switch. */
export function FactorCard({ company }: { company: Company }) {
  const { secondFactorRequired: required } = company;
  const client = useQueryClient();
  const { mutateAsync } = useCall(updateMyCompany);
  const { secondFactor: own } = useMe();
  const [counting, setCounting] = useState(false);
  const mine = queryOptions(myCompany, {});

  async function save(secondFactorRequired: boolean) {
    // The open confirmation dialog keeps this closure, but a retry after a conflict needs the reloaded version from the cache.
    const { version } = client.getQueryData(mine.queryKey) ?? company;
    try {
      await mutateAsync({ body: { secondFactorRequired }, version });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile')
        await client.fetchQuery({ ...mine, staleTime: 0 });
      throw error;
    }
  }

  async function require() {
    setCounting(true);
    const hint = await consequence().finally(() => setCounting(false));
    if (hint === null) return;
    const { question, yes, done } = text;
    await confirm({ text: question, hint, yes, danger: true, action: () => save(true), done: [done] });
  }

  /** A sentence about the users whom the requirement would affect; null when the call for their number fails. */
  async function consequence(): Promise<string | null> {
    try {
      const { rows } = await client.fetchQuery({ ...queryOptions(allCompanyUsers, {}), staleTime: 0 });
      const without = rows.filter((user) => !user.secondFactor).length;
      return without === 0 ? text.everybody : text.without(without, rows.length);
    } catch (error) {
      toastFailure(messageOf(error));
      return null;
    }
  }

  const release = () =>
    confirm({
      text: text.releaseQuestion,
      hint: text.releaseHint,
      yes: text.releaseYes,
      danger: true,
      action: () => save(false),
      done: [text.released],
    });

  return (
    <DefinitionCard
      title={t.factor.title}
      lead={required ? text.lead.required : text.lead.optional}
      rows={[
        {
          term: text.state,
          value: required ? text.required : text.optional,
          tools: (own || required) && (
            <Button
              variant="subtle"
              size="compact-sm"
              loading={counting}
              onClick={required ? release : require}
              {...ConfirmDialog.intent}
            >
              {required ? text.release : text.require}
            </Button>
          ),
        },
      ]}
      footer={
        !own && !required ? (
          <>
            {text.ownFirst}{' '}
            <Anchor component={Link} to="/dashboard/personal-data" hash={FACTOR_HASH}>
              {text.toOwn}
            </Anchor>
          </>
        ) : undefined
      }
    />
  );
}
