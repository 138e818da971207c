// Labels around the long texts, help.html and rules.html.

export const reading = {
  contents: 'На этой странице',
  toConsole: 'Открыть консоль',
};
