/** The name of the product in the OpenAPI document. */
export const productName = '«Пропуск»';

/** Values in the examples of the OpenAPI document. */
export const openApiExamples = {
  password: 'молоко-и-мёд',
  newPassword: 'хлеб-с-маслом-и-солью',
  proxyPassword: 'сезам-откройся',
  company: 'ООО «Ромашка»',
  renamedCompany: 'АО «Ромашка»',
  policy: 'Бухгалтерия',
  policyDescription: 'Отчётность и банк',
  name: 'Анна',
  surname: 'Иванова',
  fullName: 'Анна Иванова',
  newSurname: 'Петрова',
  otherFullName: 'Пётр Сидоров',
  ownerFullName: 'Иван Петров',
  ownerName: 'Ольга',
  adminName: 'Олег',
  adminSurname: 'Смирнов',
  search: 'ромашка',
  snippetPlace: 'Внутрь блока server этого сайта',
  snippetNote: 'Вставив строки, нажмите «Проверить»',
  probeStep: 'Снаружи, https://crm.romashka.ru (198.51.100.7), с поддельным X-Forwarded-For',
  protectedMeaning: 'Посторонним сайт отвечает отказом, а через «Пропуск» открывается.',
  noPolicy: 'Человек не состоит в политике «Продажи».',
  addToPolicy: 'Добавьте его, и сайт откроется сразу.',
  inCompany: 'Человек состоит в компании',
  inPolicy: 'Человек включён в политику доступа',
  policyOpensSite: 'Политика открывает этот сайт',
  portOpen: 'Порт сайта открыт',
  proxyPasses: 'Прокси политики открывает этот сайт',
};
