import { Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './card.module.css';

/** A card with a title, text and a footer. */
export function Card(props: { title?: string; lead?: string; footer?: ReactNode; children: ReactNode }) {
  const title = useId();
  return (
    <section className={`${classes.box} ${classes.card}`} aria-labelledby={props.title && title}>
      {props.title && (
        <header className={classes.header}>
          <Title order={2} id={title}>
            {props.title}
          </Title>
          {props.lead && (
            <Text c="dimmed" mt={4} maw={640}>
              {props.lead}
            </Text>
          )}
        </header>
      )}
      {props.children}
      {props.footer && <footer className={classes.footer}>{props.footer}</footer>}
    </section>
  );
}

/** A card with a form or the form's outcome. The body must begin with an introduction if there is no `lead`. */
export function FormCard(props: { title: string; lead?: string; children: ReactNode }) {
  return (
    <Card {...props}>
      <div className={classes.body}>{props.children}</div>
    </Card>
  );
}
