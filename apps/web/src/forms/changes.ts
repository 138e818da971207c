/**
 * Returns the fields that the user changed in a form. A dialog may open on a stale row: sending its unchanged fields
 * back would undo another user's edit.
 */
export function changes<Body extends object>(
  initial: Partial<Record<keyof Body, unknown>>,
  body: Body,
): Partial<Body> {
  const keys = Object.keys(body) as (keyof Body)[];
  const changed = keys.filter((key) => asText(body[key]) !== asText(initial[key]));
  return Object.fromEntries(changed.map((key) => [key, body[key]])) as Partial<Body>;
}

/** A form holds a number as the typed text: '3128' where the entity has 3128. */
function asText(value: unknown): string | undefined {
  return JSON.stringify(typeof value === 'number' ? String(value) : value);
}
