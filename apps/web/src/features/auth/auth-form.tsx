import { Button, Stack, Text, Title } from '@mantine/core';
import type { FormEventHandler, ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import classes from './auth-form.module.css';

/** What login and registration look like: a title, the failure, the fields, the button, the way to the other form. */
export function AuthForm(props: {
  title: string;
  hint: string;
  failure: string | null;
  onSubmit: FormEventHandler;
  submitLabel: string;
  pending: boolean;
  disabled: boolean;
  children: ReactNode;
  footer: ReactNode;
}) {
  return (
    <form onSubmit={props.onSubmit} noValidate>
      <Title order={1} className={classes.title}>
        {props.title}
      </Title>
      <Text c="dimmed" mt={4} mb="xl">
        {props.hint}
      </Text>
      <Stack gap="md">
        {props.failure && <Notice kind="warning">{props.failure}</Notice>}
        {props.children}
        <Button type="submit" size="md" mt="xs" fullWidth disabled={props.disabled} loading={props.pending}>
          {props.submitLabel}
        </Button>
      </Stack>
      <Text mt="lg" c="dimmed">
        {props.footer}
      </Text>
    </form>
  );
}
