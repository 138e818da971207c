/**
 * What a form changed, and nothing else. A dialog may have been opened on an old list: what it does not mean to change
 * must not be sent back, or it would undo what somebody else did meanwhile.
 */
export function changes<Body extends object>(initial: Partial<Body>, body: Body): Partial<Body> {
  const keys = Object.keys(body) as (keyof Body)[];
  const changed = keys.filter((key) => JSON.stringify(body[key]) !== JSON.stringify(initial[key]));
  return Object.fromEntries(changed.map((key) => [key, body[key]])) as Partial<Body>;
}
