/** A table of sentences by code. A sentence may take parameters. */
type PhraseTable = Readonly<Record<string, (...params: never[]) => string>>;

/** A code of a table with the parameters of its sentence. A code without a sentence does not compile. */
export type Phrase<T extends PhraseTable> = {
  [Code in keyof T]: readonly [code: Code, ...params: Parameters<T[Code]>];
}[keyof T];

/** Renders a phrase in the language of its table. */
export function render<T extends PhraseTable>(table: T, [code, ...params]: Phrase<T>): string {
  return (table[code] as (...given: unknown[]) => string)(...params);
}
