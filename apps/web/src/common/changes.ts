/**
 * The fields that the form changed. The dialog may have been opened on a stale list: sending unchanged fields back
 * would undo another user's edit.
 */
export function changes<Body extends object>(initial: Partial<Body>, body: Body): Partial<Body> {
  const keys = Object.keys(body) as (keyof Body)[];
  const changed = keys.filter((key) => JSON.stringify(body[key]) !== JSON.stringify(initial[key]));
  return Object.fromEntries(changed.map((key) => [key, body[key]])) as Partial<Body>;
}
