// Texts of the form of a site, and of the question about mixed alphabets.

export const siteForm = {
  addressHint: 'Можно вставить ссылку целиком: останется адрес сайта',
  listHint: (sites: number) => `Добавятся сайты: ${sites}. Доступ к ним будет одинаковым`,
  added: (sites: number) => `Сайтов: ${sites}`,
  pathHint: (host: string, path: string) =>
    `Сайтом станет ${host}, а путь ${path} проверка будет открывать вместе с первой страницей`,
  policiesHint: 'Кому открыть сайт. Введите название, чтобы создать новую политику',
  openTo: 'Кому открыть',
  openToHint: 'Политики доступа или пользователи. Введите название, чтобы создать новую политику',
  openToPeople: (policy: string) =>
    `Выбранным пользователям откроет сайт новая политика${policy && ` «${policy}»`}`,
  policyName: (host: string, more: number) => (more > 0 ? `${host} и ещё ${more}` : host),
  mixedTitle: 'Сохранить адрес, в котором смешаны латиница и кириллица?',
  alphabet: (letters: string, cyrillic: boolean) => `«${letters}» ${cyrillic ? 'кириллицей' : 'латиницей'}`,
  mixed: (word: string, marked: string) => `В слове «${word}» ${marked}`,
  createNamed: (address: string) => `Добавить сайт «${address}»`,
  createWithPath: (host: string, path: string) => `Добавить сайт «${host}», проверять и ${path}`,
};
