import { packagePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';

/** The placeholder of each contact in control file, documents and command, and the setting of the build that replaces it. */
const settings: Readonly<Record<string, string>> = {
  'maintainer@propusk.invalid': 'DEBEMAIL',
  'support@propusk.invalid': 'SUPPORT_CONTACT',
  'security@propusk.invalid': 'SECURITY_CONTACT',
};

/**
 * Reads a contact from the environment.
 * @returns undefined when it is missing, or a placeholder: no address ends in `.invalid` (RFC 2606)
 * @throws StartError when it has control characters, which would begin another field of the control file
 */
export function contactOf(name: string): string | undefined {
  const value = process.env[name]?.trim() ?? '';
  if (/\p{Cc}/u.test(value)) throw new StartError(packagePhrases.notOneLine(name));
  return value === '' || value.endsWith('invalid') ? undefined : value;
}

/** Replaces the placeholders of the contacts that the build has. */
export function withContacts(text: string): string {
  return Object.entries(settings).reduce(
    (changed, [placeholder, name]) => changed.replaceAll(placeholder, () => contactOf(name) ?? placeholder),
    text,
  );
}

/** The names of the settings whose contact is missing. */
export const missingContacts = (): string[] =>
  Object.values(settings).filter((name) => contactOf(name) === undefined);
