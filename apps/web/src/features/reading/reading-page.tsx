import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import helpText from '@propusk/phrases/console/help.html?raw';
import rulesText from '@propusk/phrases/console/rules.html?raw';
import { Link } from '@tanstack/react-router';
import { Standalone } from '../../frame/standalone.tsx';
import { usePageTitle } from '../../ui/use-page-title.ts';
import classes from './reading-page.module.css';

const rules = read(rulesText);
const help = read(helpText);

/** /auth/rules: the terms that a user accepts at registration. */
export function RulesPage() {
  return <Reading text={rules} />;
}

/** /help: the knowledge base. */
export function HelpPage() {
  return <Reading text={help} />;
}

/** Splits an HTML text of packages/phrases into its title, its lead and its chapters (`section`), grouped by `h2`. */
function read(html: string) {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const [title, lead, ...rest] = body.children;
  return {
    title: title?.textContent ?? '',
    lead: lead?.textContent ?? '',
    html: rest.map(({ outerHTML }) => outerHTML).join(''),
    contents: rest.map((one) => ({ id: one.id, title: (one.firstElementChild ?? one).textContent })),
  };
}

function Reading({ text }: { text: ReturnType<typeof read> }) {
  usePageTitle(text.title);
  return (
    <Standalone
      width={1040}
      end={
        <Button component={Link} to="/" variant="default">
          {t.reading.toConsole}
        </Button>
      }
    >
      <div className={classes.columns}>
        <div className={classes.heading}>
          <h1>{text.title}</h1>
          <p>{text.lead}</p>
        </div>
        <nav className={classes.contents} aria-label={t.reading.contents}>
          {text.contents[0]?.id && <p>{t.reading.contents}</p>}
          {text.contents.map(({ id, title }) =>
            id ? (
              <a key={id} href={`#${id}`}>
                {title}
              </a>
            ) : (
              <p key={title}>{title}</p>
            ),
          )}
        </nav>
        {/* The HTML is a file of this repository (packages/phrases) and contains no user input. */}
        <div className={classes.text} dangerouslySetInnerHTML={{ __html: text.html }} />
      </div>
    </Standalone>
  );
}
