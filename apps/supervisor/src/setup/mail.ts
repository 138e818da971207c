import { readConfig } from '@propusk/api/config';
import { kindOf } from '@propusk/api/mail/mail';
import { smtpSender } from '@propusk/api/mail/smtp';
import { setupPhrases } from '@propusk/phrases/setup';
import { ask, say } from '../command.ts';

/**
 * Sends a test mail and prints the server's reply.
 * @param env the settings with SMTP_URL
 * @returns whether the server accepted it
 */
async function accepts(env: NodeJS.ProcessEnv, to: string): Promise<boolean> {
  try {
    const { smtpUrl = '', mailFrom: from, publicUrl } = readConfig(env);
    const { subject, text } = setupPhrases.testMail(publicUrl.origin);
    const mail = { from, to, subject, text, html: `<p>${text}</p>`, link: null };
    say(setupPhrases.mailSent(to, await smtpSender(smtpUrl)(mail)));
    return true;
  } catch (error) {
    const { response, message } = error as Error & { response?: string };
    const kind = kindOf(error);
    say(setupPhrases.mailRefused(kind, kind === 'other' ? (response ?? message) : response));
    return false;
  }
}

/**
 * Finds a mail server that accepts a test mail. In a terminal a refused one is asked for again, until the answer is empty.
 * @param given SMTP_URL from the options
 * @returns SMTP_URL; undefined for later; null when the given server refuses and there is no terminal
 */
export async function findMailServer(
  given: string | undefined,
  env: NodeJS.ProcessEnv,
  { mail, asks }: { mail: string; asks: boolean },
): Promise<string | undefined | null> {
  for (let url = given; ; url = undefined) {
    if (asks) url ??= (await ask(setupPhrases.askSmtp())).trim() || undefined;
    if (url === undefined || (await accepts({ ...env, SMTP_URL: url }, mail))) return url;
    if (!asks) return null;
  }
}
