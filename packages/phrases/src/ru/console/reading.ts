// Labels of the pages that show help.html and rules.html.

export const reading = {
  contents: 'На этой странице',
  toConsole: 'Открыть консоль',
};
