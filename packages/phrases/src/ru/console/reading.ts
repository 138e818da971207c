// Labels around the long texts of texts.ts.

export const reading = {
  contents: 'На этой странице',
  toConsole: 'Открыть консоль',
};
