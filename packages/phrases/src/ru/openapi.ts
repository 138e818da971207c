/** The name of the product in the OpenAPI document. */
export const productName = '«Пропуск»';

/** Examples of Russian values in the OpenAPI document, by field, or by schema and field where the field's name does not suffice. */
export const openApiExamples = {
  companyName: 'ООО «Ромашка»',
  name: 'Анна',
  surname: 'Иванова',
  ownerName: 'Ольга',
  description: 'Отчётность и банк',
  'Registration.name': 'ООО «Ромашка»',
  'Policy.name': 'Бухгалтерия',
  'PolicyInput.name': 'Бухгалтерия',
  'PolicyChange.name': 'Бухгалтерия',
  'Named.name': 'Бухгалтерия',
  'Policy.users': [{ id: 42, name: 'Анна Иванова' }],
  'AuditRow.company': { id: 5, name: 'ООО «Ромашка»' },
  'AuditRow.actor.name': 'Иван Петров',
  'AuditRow.object.name': 'Бухгалтерия',
  'AuditChange.added': ['Анна Иванова'],
  'AuditChange.removed': ['Пётр Сидоров'],
  'Vantage.name': 'Дом',
  'Snippet.place': 'Внутрь блока server этого сайта',
  'Snippet.notes': ['Вставив строки, нажмите «Проверить»'],
  'ProbeStep.title': 'Снаружи, https://crm.romashka.ru (198.51.100.7), с поддельным X-Forwarded-For',
  'SiteCheck.meaning': 'Посторонним сайт отвечает отказом, а через «Пропуск» открывается.',
  'ErrorBody.message': 'Проверьте введённые данные',
  'ErrorBody.fields': { email: 'Укажите почту латиницей: name@company.ru' },
  'Explanation.message': 'Человек не состоит в политике «Продажи».',
  'Explanation.advice': 'Добавьте его, и сайт откроется сразу.',
  'Explanation.links.title': 'Человек включён в политику доступа',
};
