/** The `lang` attribute of a text: 'en' for an English text of the specification, undefined for the page's language. */
export function langOf(text: string): 'en' | undefined {
  return /\p{Script=Cyrillic}/u.test(text) ? undefined : 'en';
}
