import { shownEmails } from '@propusk/contract/shown-email';
import { visible } from '@propusk/contract/shown-text';
import { greeting, mails, type Paragraph, signature } from '@propusk/phrases/mail';

/** A rendered mail for one recipient, as text and as simple HTML. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link with the mail's single-use token; null for a mail without a token. Links that a user typed are ignored. */
  readonly link: string | null;
}

export type MailCode = keyof typeof mails;
/** The arguments of a mail template, without its first argument, the recipient. */
export type Facts<Code extends MailCode> =
  Parameters<(typeof mails)[Code]> extends [string, ...infer F] ? F : never;

/** Renders a mail: `code` selects the template, and `facts` are the arguments of the template. */
export function composeMail<Code extends MailCode>(to: string, code: Code, ...facts: Facts<Code>): Mail {
  const template = mails[code] as (to: string, ...given: unknown[]) => ReturnType<(typeof mails)[Code]>;
  const { subject, paragraphs } = template(to, ...facts);
  const shown = paragraphs.map((p) => (typeof p === 'string' ? visible(shownEmails(p)) : p));
  const all: Paragraph[] = [greeting, ...shown, signature];
  const text = all.map((p) => (typeof p === 'string' ? p : `${p.label}:\n${p.link}`)).join('\n\n');
  const html = all.map((p) => `<p>${typeof p === 'string' ? escape(p) : anchor(p.link, p.label)}</p>`);
  return {
    to,
    subject: visible(subject),
    text: `${text}\n`,
    html: `<!doctype html><html lang="ru"><body>${html.join('\n')}</body></html>\n`,
    link: all.flatMap((p) => (typeof p !== 'string' && tokenOf(p.link) !== '' ? p.link : []))[0] ?? null,
  };
}

/** The token of a single-use link; empty for any other link. */
export const tokenOf = (link: string) => /#(?:token|invitation)=([\w-]+)/.exec(link)?.[1] ?? '';

function anchor(link: string, label: string): string {
  return `<a href="${escape(link)}">${escape(label)}</a>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
