import '@mantine/core/styles/Group.css';
import { Group } from '@mantine/core';
import classes from './code.module.css';
import { CopyButton } from './copy-button.tsx';

/** A titled block of code with a button that copies it. */
export function Code(props: { title: string; text: string; label: string; copy: string }) {
  return (
    <section className={classes.code} aria-label={props.label}>
      <Group component="header" justify="space-between" gap="xs" wrap="nowrap">
        <span>{props.title}</span>
        <CopyButton value={props.text} label={props.copy} />
      </Group>
      <pre>{props.text}</pre>
    </section>
  );
}
