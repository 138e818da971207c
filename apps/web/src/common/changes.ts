/**
 * The fields that the form changed. The dialog may have been opened on a stale list: sending unchanged fields back
 * would undo another user's edit.
 */
export function changes<Body extends object>(
  initial: Partial<Record<keyof Body, unknown>>,
  body: Body,
): Partial<Body> {
  const keys = Object.keys(body) as (keyof Body)[];
  const changed = keys.filter((key) => asText(body[key]) !== asText(initial[key]));
  return Object.fromEntries(changed.map((key) => [key, body[key]])) as Partial<Body>;
}

/** A number is typed as text: a form holds '3128' where the schema makes 3128 of it. */
function asText(value: unknown): string | undefined {
  return JSON.stringify(typeof value === 'number' ? String(value) : value);
}
