import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { help, rules, type TextPage } from '@propusk/phrases/console/texts';
import { Link } from '@tanstack/react-router';
import { paths } from '../../paths.ts';
import { Logo } from '../../ui/logo.tsx';
import { usePageTitle } from '../../ui/use-page-title.ts';
import { Blocks } from './blocks.tsx';
import classes from './reading-page.module.css';

/** /auth/rules: the terms that a user accepts at registration. */
export function RulesPage() {
  return <Reading text={rules} />;
}

/** /help: the knowledge base. */
export function HelpPage() {
  return <Reading text={help} />;
}

function Reading({ text }: { text: TextPage }) {
  usePageTitle(text.title);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <Link to={paths.home} className={classes.logo} aria-label={t.common.toSites}>
          <Logo name={t.product} />
        </Link>
        <Button component={Link} to={paths.home} variant="default">
          {t.reading.toConsole}
        </Button>
      </header>
      <main className={classes.columns}>
        <div className={classes.heading}>
          <h1>{text.title}</h1>
          <p>{text.lead}</p>
        </div>
        <Contents text={text} />
        <div>
          {text.parts.map((part) => (
            <Part key={part.title ?? ''} part={part} />
          ))}
        </div>
      </main>
    </div>
  );
}

function Part({ part }: { part: TextPage['parts'][number] }) {
  const Heading = part.title ? 'h3' : 'h2';
  return (
    <div className={classes.part}>
      {part.title && <h2 className={classes.partTitle}>{part.title}</h2>}
      {part.sections.map((section) => (
        <section key={section.id} id={section.id} className={classes.section}>
          <Heading className={classes.title}>{section.title}</Heading>
          <Blocks blocks={section.blocks} />
        </section>
      ))}
    </div>
  );
}

function Contents({ text }: { text: TextPage }) {
  return (
    <nav className={classes.contents} aria-label={t.reading.contents}>
      {text.parts.map((part) => (
        <div key={part.title ?? ''} className={classes.contentsPart}>
          <p>{part.title ?? t.reading.contents}</p>
          {part.sections.map(({ id, title }) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}
