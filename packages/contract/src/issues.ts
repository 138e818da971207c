import type * as z from 'zod/mini';
import { limits } from './limits.ts';

/**
 * What is wrong with a field, for the person who filled it in. Given to zod as its error map, on the server and in the
 * forms, so that both say it alike. A schema that has a sentence of its own keeps it.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  const field = issue.path?.at(-1);
  const { input } = issue;
  if (input === '') return 'Заполните это поле';
  if (input === undefined || input === null) {
    return issue.expected === 'string' ? 'Заполните это поле' : 'Выберите значение';
  }
  if (field === 'email') return 'Укажите почту латиницей: name@company.ru';
  if (field === 'port') return `Целое число от ${limits.port.min} до ${limits.port.max}`;
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return `Не короче ${characters(Number(issue.minimum))}`;
  }
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return `Не длиннее ${characters(Number(issue.maximum))}`;
  }
  if (issue.code === 'too_small') return `Не меньше ${issue.minimum}`;
  if (issue.code === 'too_big') return `Не больше ${issue.maximum}`;
  if (issue.code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int')) {
    return 'Здесь нужно целое число, не текст';
  }
  if (issue.code === 'invalid_format') return 'Здесь есть символы, которых быть не может';
  return 'Проверьте это поле';
}

/** The first sentence of each field, by its path, such as `politics.0`. */
export function issueMessages(issues: readonly z.core.$ZodIssue[]): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const issue of issues) {
    if (issue.path.length > 0) messages[issue.path.map(String).join('.')] ??= issue.message;
  }
  return messages;
}

const plural = new Intl.PluralRules('ru');
export function characters(n: number): string {
  return `${n} ${plural.select(n) === 'one' ? 'символа' : 'символов'}`;
}
