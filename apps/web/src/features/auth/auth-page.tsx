import { Anchor, Text, Title } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../ui/use-page-title.ts';

/** The layout of every auth page: title, hint, content, footer links. */
export function AuthPage(props: { title: string; hint: ReactNode; children: ReactNode; footer?: ReactNode }) {
  usePageTitle(props.title);
  return (
    <>
      <Title order={1} c="white" fz={{ base: 26, sm: 32 }} lh={{ base: '34px', sm: '40px' }} lts="-0.02em">
        {props.title}
      </Title>
      <Text c="dimmed" mt={4} mb="xl">
        {props.hint}
      </Text>
      {props.children}
      {props.footer && (
        <Text mt="lg" c="dimmed">
          {props.footer}
        </Text>
      )}
    </>
  );
}

/** The footer of an auth page: a link to the login page. */
export function ToLogin({ before }: { before?: string }) {
  return (
    <>
      {before}{' '}
      <Anchor component={Link} to="/auth/login">
        {before === undefined ? t.auth.backToLogin : t.auth.toLogin}
      </Anchor>
    </>
  );
}
