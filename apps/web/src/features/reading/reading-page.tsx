import { Link } from '@tanstack/react-router';
import { t } from '../../dictionary/dictionary.ts';
import { help, rules, type TextPage } from '../../dictionary/ru-texts.ts';
import { paths } from '../../paths.ts';
import { Logo } from '../../ui/logo.tsx';
import classes from './reading-page.module.css';

/** /auth/rules: what a person agrees to at registration. */
export function RulesPage() {
  return <Reading text={rules} />;
}

/** /help: the knowledge base. */
export function HelpPage() {
  return <Reading text={help} />;
}

function Reading({ text }: { text: TextPage }) {
  return (
    <div className={classes.page}>
      <header>
        <Link to={paths.home} className={classes.logo}>
          <Logo name={t.product} />
        </Link>
      </header>
      <main>
        <h1>{text.title}</h1>
        <p className={classes.lead}>{text.lead}</p>
        {text.sections.map((section) => (
          <section key={section.title}>
            <h2>{section.title}</h2>
            {section.paragraphs.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}
