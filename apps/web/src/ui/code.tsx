import '@mantine/core/styles/Group.css';
import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './code.module.css';
import { CopyButton } from './copy-button.tsx';

/** A titled block of code with a button that copies it, and other buttons beside it. */
export function Code(props: { title: string; text: string; label: string; copy: string; tools?: ReactNode }) {
  return (
    <section className={classes.code} aria-label={props.label}>
      <Group component="header" justify="space-between" gap="xs" wrap="nowrap">
        <span>{props.title}</span>
        <Group gap={4} wrap="nowrap">
          <CopyButton value={props.text} label={props.copy} />
          {props.tools}
        </Group>
      </Group>
      <pre>{props.text}</pre>
    </section>
  );
}
