/** The length to which a policy's description is truncated (spec section 9). */
const DESCRIPTION_LENGTH = 35;

/**
 * Truncates a text to `length` code points and an ellipsis. Counting code points cuts no emoji in two.
 * @returns undefined for a text that need not be truncated
 */
export function truncated(text: string, length: number = DESCRIPTION_LENGTH): string | undefined {
  const characters = Array.from(text);
  if (characters.length <= length) return undefined;
  return `${characters.slice(0, length).join('').trimEnd()}…`;
}
