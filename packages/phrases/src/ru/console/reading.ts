// Around the texts to read, which are in ru-texts.ts.

export const reading = {
  contents: 'На этой странице',
  toConsole: 'Открыть консоль',
};
