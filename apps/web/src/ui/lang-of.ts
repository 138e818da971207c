/** The language of a text of the console, for the `lang` attribute: a specification text in English, or the page's. */
export function langOf(text: string): 'en' | undefined {
  return /\p{Script=Cyrillic}/u.test(text) ? undefined : 'en';
}
