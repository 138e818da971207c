/** The part of a zod issue that a sentence needs. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
  readonly origin?: string | undefined;
  readonly input?: unknown;
}

/** What is wrong with a field, for the person who filled it in. The server and the forms say it alike. */
export function issueMessage(issue: Issue): string {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return Number(issue.minimum) <= 1 ? 'Заполните поле' : `Не короче ${characters(Number(issue.minimum))}`;
  }
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return `Не длиннее ${characters(Number(issue.maximum))}`;
  }
  if (issue.code === 'too_small') return `Не меньше ${issue.minimum}`;
  if (issue.code === 'too_big') return `Не больше ${issue.maximum}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Заполните поле';
  if (issue.path.at(-1) === 'email') return 'Почта пишется как name@example.ru';
  if (issue.path.at(-1) === 'port') return 'Порт: целое число';
  return 'Недопустимое значение';
}

/** By the field's path, such as `politics.0`: the first issue of each. */
export function issueMessages(issues: readonly Issue[]): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const issue of issues) messages[issue.path.map(String).join('.')] ??= issueMessage(issue);
  return messages;
}

const plural = new Intl.PluralRules('ru');
const genitive: Record<string, string> = { one: 'символа' };
function characters(n: number): string {
  return `${n} ${genitive[plural.select(n)] ?? 'символов'}`;
}
