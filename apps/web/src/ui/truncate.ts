/** Where a policy's description is cut (spec section 9). */
const DESCRIPTION_LENGTH = 35;

/**
 * The text's first characters, if it has more than `length`. Characters are code points, so that no emoji is cut in two.
 * @returns undefined for a text that is short enough to show whole
 */
export function truncated(text: string, length: number = DESCRIPTION_LENGTH): string | undefined {
  const characters = Array.from(text);
  if (characters.length <= length) return undefined;
  return `${characters.slice(0, length).join('').trimEnd()}…`;
}
